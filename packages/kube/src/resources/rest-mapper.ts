import type { Transport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import { apiVersionOf } from '../meta/api-version.ts';
import type { ApiResource, ApiResources } from './api-resource.ts';
import { discover } from './discovery.ts';
import { nearKinds } from './near-kinds.ts';

/** A question is answered "unknown" from what was read this recently; an older reading is refreshed first. */
const refreshIntervalMs = 500;

/** Finds where kinds are served. Reads the server's discovery once, and again when something unknown is asked. */
export interface RestMapper {
  /** By `apiVersion` and `kind`, as manifests have them. */
  byKind(apiVersion: string, kind: string): Promise<ApiResource>;
  /** By what users type: `deploy`, `deployments`, `deployment.apps`, `deployments.v1.apps`. */
  byName(name: string): Promise<ApiResource>;
  /** All that the server serves, as last read. */
  all(): Promise<readonly ApiResource[]>;
  /** Forgets what was read: call it when a CRD or APIService changed, so that the next question reads anew. */
  invalidate(): void;
}

/** What a mapper needs. */
export interface RestMapperOptions {
  transport: Transport;
  clock: Clock;
}

interface Reading extends ApiResources {
  /** By `apiVersion kind`. */
  readonly kinds: ReadonlyMap<string, ApiResource>;
  readonly startedAt: number;
}

/** Makes a mapper; it reads nothing until asked. */
export function createRestMapper({ transport, clock }: RestMapperOptions): RestMapper {
  let latest: Reading | undefined;
  let running: Promise<Reading> | undefined;

  /** However many ask at once, one request goes out. */
  const refresh = (): Promise<Reading> => {
    if (running) return running;
    const mine = read({ transport, clock })
      .then((reading) => {
        if (running === mine) latest = reading;
        return reading;
      })
      .finally(() => {
        if (running === mine) running = undefined;
      });
    running = mine;
    return mine;
  };

  const find = async (
    find: (reading: Reading) => ApiResource | undefined,
    refuse: (reading: Reading) => KubeError,
  ): Promise<ApiResource> => {
    const known = latest && find(latest);
    if (known) return known;
    const recent = latest && clock.monotonic() - latest.startedAt < refreshIntervalMs;
    const reading = recent && latest ? latest : await refresh();
    const found = find(reading);
    if (found) return found;
    throw refuse(reading);
  };

  /** When another reading is due: a caller that expects the kind soon need not guess. */
  const untilRefresh = (reading: Reading) => Math.max(0, refreshIntervalMs - (clock.monotonic() - reading.startedAt));

  return {
    byKind: (apiVersion, kind) =>
      find(
        ({ kinds }) => kinds.get(`${apiVersion} ${kind}`),
        (reading) => unknownKind(apiVersion, kind, reading, untilRefresh(reading)),
      ),
    byName: (name) =>
      find(
        ({ resources }) => findByName(name, resources),
        (reading) => unknownName(name, reading, untilRefresh(reading)),
      ),
    all: async () => (latest ?? (await refresh())).resources,
    invalidate() {
      latest = undefined;
      running = undefined; // What is being read may be from before the change.
    },
  };
}

async function read({ transport, clock }: RestMapperOptions): Promise<Reading> {
  const startedAt = clock.monotonic();
  const found = await discover(transport);
  const kinds = new Map<string, ApiResource>();
  for (const resource of found.resources) {
    const name = `${apiVersionOf(resource)} ${resource.kind}`;
    if (!kinds.has(name)) kinds.set(name, resource);
  }
  return { ...found, kinds, startedAt };
}

/** The first match in the server's order: a short name may stand for kinds of several groups. */
function findByName(name: string, resources: readonly ApiResource[]): ApiResource | undefined {
  const wanted = name.toLowerCase();
  const [resource = '', ...rest] = wanted.split('.');
  const suffix = rest.join('.');
  return resources.find(
    ({ plural, singular, shortNames, kind, group, version }) =>
      (plural === resource ||
        singular === resource ||
        kind.toLowerCase() === resource ||
        shortNames.includes(resource)) &&
      (suffix === '' || suffix === group || suffix === `${version}.${group}` || (group === '' && suffix === version)),
  );
}

function unknownKind(apiVersion: string, kind: string, reading: Reading, retryAfterMs: number): KubeError {
  if (reading.unreachable.includes(apiVersion)) return silentGroup(apiVersion, `${apiVersion} ${kind}`);
  const near = nearKinds(apiVersion, kind, reading.resources);
  return new KubeError('UnknownKind', `the server does not serve ${apiVersion} ${kind}`, {
    retryAfterMs,
    ...(near.length > 0 && { hint: `Did you mean ${near.join(', or ')}?` }),
  });
}

function unknownName(name: string, reading: Reading, retryAfterMs: number): KubeError {
  const [first = name] = name.split('.');
  const near = nearKinds('', first, reading.resources);
  return new KubeError('UnknownKind', `the server does not serve a resource called "${name}"`, {
    retryAfterMs,
    ...(near.length > 0 && { hint: `Did you mean ${near.join(', or ')}?` }),
  });
}

const silentGroup = (apiVersion: string, what: string): KubeError =>
  new KubeError('Unavailable', `whether the server serves ${what} is not known: ${apiVersion} does not answer`, {
    hint: `Check \`kubectl get apiservices\` for ${apiVersion}: the API server behind it is down.`,
  });
