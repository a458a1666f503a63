import { allKinds, validatorOf } from '@flotilla/api-types/kinds';
import { type Cluster, startCluster } from '@flotilla/envtest';
import type { JsonObject } from '@flotilla/schema';
import { type KindDefinition, toValidatedKind } from '@flotilla/schema/define';
import { arbitraryObject, createRandom } from '@flotilla/schema/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disagreement } from './disagreement.ts';
import { everyVersion } from './every-version.ts';
import { type GeneratedCase, newObject, newStatus } from './generated-case.ts';
import { createServerValidator, type ServerResult, type ServerValidator } from './server-validator.ts';

/** Cases of each kind and endpoint. */
const CASES = 16;

let cluster: Cluster;
let server: ServerValidator;
const count = { accepted: 0, refused: 0 };

beforeAll(async () => {
  cluster = await startCluster({ crds: everyVersion(), controllerManager: false });
  server = createServerValidator(cluster.client.transport);
});
afterAll(() => cluster?.stop());

/** Sends every case to both validators, and returns where they differ. */
const compare = async (
  definition: KindDefinition,
  part: 'spec' | 'status',
  generate: (number: number) => GeneratedCase,
  ask: (object: JsonObject) => Promise<ServerResult>,
): Promise<string[]> => {
  const validator = validatorOf(definition.resource);
  const cases = Array.from({ length: CASES }, async (_, number) => {
    const { seed, what, object } = generate(number);
    const ours = validator.check(object);
    const result = await ask(object);
    count[result.accepted ? 'accepted' : 'refused'] += 1;
    const differs = disagreement(`seed ${seed}, ${what}`, ours, result);
    // A version that is not stored loses on the way what the stored one does not know, for want of a conversion webhook.
    if (!differs && result.accepted && definition.storage) {
      expect(result.object[part], `seed ${seed}`).toEqual(ours.object[part]);
    }
    return differs ? [`${differs}\n${JSON.stringify(object)}`] : [];
  });
  return (await Promise.all(cases)).flat();
};

describe.each(allKinds.map((definition) => ({ ...definition.resource, definition })))(
  '$kind $version',
  ({ definition }) => {
    const { resource } = definition;
    const kind = toValidatedKind(definition);

    it('is validated, pruned and defaulted as by the API server when it is created', async () => {
      const generate = (number: number) => newObject(kind, number);
      expect(await compare(definition, 'spec', generate, (object) => server.create(resource, object))).toEqual([]);
    });

    if (definition.subresources !== 'status') return;
    it('is validated so when its status is written', async () => {
      const { status: _, ...object } = arbitraryObject(kind, createRandom(1));
      const name = `stored-${resource.version}`;
      const stored = await server.store(resource, {
        ...object,
        metadata: { name, ...(kind.namespaced ? { namespace: 'default' } : {}) },
      });
      const generate = (number: number) => newStatus(kind, stored, number);
      const ask = (changed: JsonObject) => server.replaceStatus(resource, name, changed);
      expect(await compare(definition, 'status', generate, ask)).toEqual([]);
    });
  },
);

it('asked about at least 300 objects, half of them refused', () => {
  expect(count.accepted + count.refused).toBeGreaterThanOrEqual(300);
  expect(count.refused / (count.accepted + count.refused)).toBeGreaterThan(0.4);
  expect(count.refused / (count.accepted + count.refused)).toBeLessThan(0.6);
});
