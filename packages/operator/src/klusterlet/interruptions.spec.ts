import { klusterlets } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { deploymentNames } from './fixtures/agents.ts';
import { startOperator } from './fixtures/running-operator.ts';

/** Enough to be killed in each step; all of them would take minutes. */
const writes = [0, 1, 2, 3, 5, 8, 13, 20, 28, 30];

describe('an operator that is killed', () => {
  it.each(writes)('after %i writes installs and removes a klusterlet completely when it runs again', async (count) => {
    await using operator = await startOperator();
    const { client } = operator.plane;
    const before = await listAllObjects(client);
    operator.killAfter(count);
    await operator.create();
    await operator.restart();
    const { status } = await operator.klusterlet();
    expect(isConditionTrue(status?.conditions, 'Applied')).toBe(true);
    expect(status?.relatedResources).toHaveLength(24);
    expect(await deploymentNames(operator)).toHaveLength(2);

    operator.killAfter(count);
    await client.resource(klusterlets).delete('klusterlet');
    await operator.quiet();
    await operator.restart();
    await operator.quiet();
    expect(await client.resource(klusterlets).find('klusterlet')).toBeUndefined();
    const left = (await listAllObjects(client)).filter((text) => !before.includes(text));
    expect(left.filter((text) => !/^(APIService|CustomResourceDefinition) /.test(text))).toEqual([]);
  });

  it('and another one that takes over do not undo what the other did', async () => {
    await using operator = await startOperator();
    await operator.create();
    operator.takeWrites();
    await operator.restart();
    expect(operator.takeWrites()).toEqual([]);
  });
});
