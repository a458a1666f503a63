import { RuleQueueError, RuleTaskError, ruleRunner } from '@flotilla/rules/runner';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { send } from '../../fixtures/send.ts';
import { startTestPlane, type TestPlane } from '../../fixtures/test-plane.ts';
import { customResources } from '../schema/custom.ts';

const path = '/apis/example.com/v1/namespaces/default/gadgets';
const openAPIV3Schema = {
  type: 'object',
  properties: { size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0' }] } },
};

let plane: TestPlane;
beforeAll(async () => {
  plane = await startTestPlane();
  const resources = customResources({
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  plane.backend.registry.setCustom('example.com/gadgets', resources);
});
afterAll(() => plane.caller.close());

const create = (name: string) =>
  send(plane.handler, {
    method: 'POST',
    path,
    body: JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name }, size: 1 }),
    headers: { 'content-type': 'application/json' },
  });

it.each([
  ['429 if too many others wait', 429, new RuleQueueError('it has not begun in time: other rules take long')],
  ['503 if its rules have no answer', 503, new RuleTaskError('it did not end within 10000 ms', true)],
])('tells who writes a valid object to send it again, with %s', async (_, status, error) => {
  using evaluate = vi.spyOn(ruleRunner, 'evaluate').mockRejectedValue(error);
  const answer = await create('a');
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({ 'retry-after': '1' });
  expect(evaluate.mock.calls[0]?.[3]).toMatchObject({ owner: 'admin' });
});
