import { isRecord } from '@flotilla/schema';
import type { Answer } from './server.ts';

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g;
const token = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const pem = /-----BEGIN [^-]+-----[^-]+-----END [^-]+-----\n?/g;
const address = /127\.0\.0\.1:\d+/g;
const clusterAddress = /\b10\.\d+\.\d+\.\d+\b/g;

/**
 * Takes out of the answers of one server what no two servers have in common, and keeps what must be the same: a uid or resource version
 * becomes the number of its first appearance, so that the same stays the same and the different stays different.
 */
export class Normaliser {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  answer({ status, contentType, warnings, retryAfter, body, events }: Answer): unknown {
    return {
      status,
      contentType,
      warnings: warnings.map((warning) => this.#text(warning)).sort(),
      ...(retryAfter !== undefined && { retryAfter }),
      body: this.#value(body),
      ...(events && { events: events.map((event) => this.#value(event)) }),
    };
  }

  #text(text: string): string {
    return text
      .replace(uid, (found) => numbered(this.#uids, found, 'uid'))
      .replace(time, '<time>')
      .replace(token, '<token>')
      .replace(pem, '<pem>')
      .replace(address, '<address>')
      .replace(clusterAddress, '<cluster address>')
      .replace(/(resourceVersion: )"\d+"/g, '$1<version>')
      .replace(/(ResourceVersion in record \()\d+/g, '$1<version>')
      .replace(/(resource version: )\d+( \()?\d*/g, '$1<version>$2')
      .replace(/current: \d+/g, 'current: <version>');
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [this.#text(key), this.#field(key, field, value)]),
    );
  }

  #field(key: string, field: unknown, parent: object): unknown {
    if (key === 'resourceVersion' && typeof field === 'string' && /^\d+$/.test(field)) {
      // A list or bookmark has the version of the whole server, which others write to as well.
      return 'name' in parent ? numbered(this.#versions, field, 'version') : '<version>';
    }
    if (key === 'continue' && typeof field === 'string') return field === '' ? '' : '<continue>';
    if (key === 'cells' && Array.isArray(field)) return field.map((cell) => this.#cell(cell));
    // In the order in which the bindings were found, which is none.
    if (key.endsWith('esourceRules') && Array.isArray(field)) return sorted(field.map((rule) => this.#value(rule)));
    if (key === 'managedFields' && Array.isArray(field)) return this.#managers(field);
    if (key === 'name' && 'generateName' in parent && typeof field === 'string') {
      return field.replace(/[bcdfghjklmnpqrstvwxz2456789]{5}$/, '<random>');
    }
    return this.#value(field);
  }

  /** Managers are ordered by time, which two servers do not share. */
  #managers(entries: readonly unknown[]): unknown[] {
    return sorted(entries.map((entry) => this.#value(entry)));
  }

  /** The age of an object is a matter of when one asks. */
  #cell(cell: unknown): unknown {
    return typeof cell === 'string' && /^\d+(s|ms|m\d*s?)$/.test(cell) ? '<age>' : this.#value(cell);
  }
}

/** By their text, whatever order their fields came in. */
const sorted = (values: readonly unknown[]): unknown[] =>
  values.toSorted((left, right) => (textOf(left) < textOf(right) ? -1 : 1));

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'bigint'
      ? String(field)
      : isRecord(field)
        ? Object.fromEntries(Object.entries(field).sort(([left], [right]) => (left < right ? -1 : 1)))
        : field,
  );

function numbered(seen: Map<string, string>, value: string, what: string): string {
  const name = seen.get(value) ?? `<${what} ${seen.size + 1}>`;
  seen.set(value, name);
  return name;
}
