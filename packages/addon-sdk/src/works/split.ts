import { type EmbeddedResource, stringifyJson } from '@flotilla/schema';
import { identityOf } from '../manifests/rendered-manifest.ts';

/** Serialized manifests in one work, in bytes, as in OCM: four fifths of 500 KiB. */
export const defaultWorkBudget = 409_600;

/** A work that exists, as far as splitting is concerned. */
export interface ExistingPart {
  /** The number at the end of its name. */
  readonly index: number;
  readonly manifests: readonly EmbeddedResource[];
}

/** The manifests of the work with a number; a work without manifests is to be deleted. */
export interface Part {
  readonly index: number;
  readonly manifests: readonly EmbeddedResource[];
}

interface Sized {
  readonly id: string;
  readonly manifest: EmbeddedResource;
  readonly size: number;
}

/**
 * Spreads manifests over works. What is in a work stays there, so that a change of one manifest changes one work; new manifests go where
 * there is room, the largest first, and then into new works.
 */
export function splitManifests(
  required: readonly EmbeddedResource[],
  existing: readonly ExistingPart[],
  budget: number = defaultWorkBudget,
): Part[] {
  // The later one of two with one identity wins, as in OCM.
  const left = new Map(required.map((manifest): [string, Sized] => [identityOf(manifest), sizedOf(manifest)]));
  const kept = existing.map(({ index, manifests }) => {
    const staying = manifests.flatMap((manifest) => {
      const sized = left.get(identityOf(manifest));
      if (sized) left.delete(sized.id);
      return sized ? [sized] : [];
    });
    return { index, manifests: staying, room: Math.max(0, budget - sizeOf(staying)) };
  });
  // Sorting is stable: manifests of one size keep their order.
  const leftover = [...left.values()].sort((a, b) => b.size - a.size);
  const fresh: Sized[] = [];
  for (const sized of leftover) {
    const roomiest = kept.reduce<(typeof kept)[number] | undefined>(
      (best, part) => (best && best.room >= part.room ? best : part),
      undefined,
    );
    if (roomiest && sized.size < roomiest.room) {
      roomiest.manifests.push(sized);
      roomiest.room -= sized.size;
    } else fresh.push(sized);
  }
  const parts = [...kept, ...packed(fresh, new Set(existing.map(({ index }) => index)), budget)];
  return parts.map(({ index, manifests }) => ({ index, manifests: manifests.map(({ manifest }) => manifest) }));
}

/** New works for manifests, numbered by what is free. */
function packed(manifests: readonly Sized[], taken: ReadonlySet<number>, budget: number) {
  const bins: { readonly index: number; readonly manifests: Sized[] }[] = [];
  let index = 0;
  const open = () => {
    while (taken.has(index)) index += 1;
    const bin = { index, manifests: [] as Sized[] };
    index += 1;
    bins.push(bin);
    return bin;
  };
  for (const sized of manifests) {
    const last = bins.at(-1);
    const bin = last && sizeOf(last.manifests) + sized.size < budget ? last : open();
    bin.manifests.push(sized);
  }
  return bins;
}

const sizeOf = (manifests: readonly Sized[]): number => manifests.reduce((total, { size }) => total + size, 0);

function sizedOf(manifest: EmbeddedResource): Sized {
  const length = Buffer.byteLength(stringifyJson(manifest));
  return { id: identityOf(manifest), manifest, size: length + 1 + varintLength(length) };
}

/** Bytes of a number in protobuf: works are measured as OCM stores them. */
function varintLength(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}
