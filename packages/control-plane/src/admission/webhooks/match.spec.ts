import { KubeError } from '@flotilla/kube';
import { RuleTaskError, ruleRunner } from '@flotilla/rules/runner';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { describe, expect, it, vi } from 'vitest';
import type { AdmissionRequest } from '../../contracts/admission.ts';
import { builtInResources } from '../../schema/built-in.ts';
import { createRegistry } from '../../schema/registry.ts';
import { createStorage } from '../../storage/memory-storage.ts';
import type { Rule } from '../rules.ts';
import type { Webhook } from './configuration.ts';
import { invocationOf } from './match.ts';
import { createMatchConditions } from './match-conditions.ts';

const registry = createRegistry(builtInResources());
const storage = createStorage();
storage.put('/namespaces', 'blue', { metadata: { name: 'blue', labels: { colour: 'blue' } } });
const options = { storage, registry, conditions: createMatchConditions() };

const pods = registry.lookup('', 'v1', 'pods');
const nodes = registry.lookup('', 'v1', 'nodes');
const namespaces = registry.lookup('', 'v1', 'namespaces');
const events = registry.lookup('', 'v1', 'events');
if (!pods || !nodes || !namespaces || !events) throw new Error('a built-in kind is missing');

const podRequest: AdmissionRequest = {
  operation: 'CREATE',
  info: pods,
  namespace: 'blue',
  name: 'a',
  object: { metadata: { name: 'a', labels: { app: 'web' } } },
  options: {},
  user: { name: 'ann', groups: ['dev'] },
  dryRun: false,
};

const every: Rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };

const webhook = (rule: Rule, fields: Partial<Webhook> = {}): Webhook => ({
  name: 'hook',
  clientConfig: {},
  rules: [{ ...every, ...rule }],
  ...fields,
});

const isAsked = async (hook: Webhook, request: Partial<AdmissionRequest> = {}): Promise<boolean> =>
  (await invocationOf(options, hook, { ...podRequest, ...request })) !== undefined;

describe('whether a webhook is asked', () => {
  const cases: Record<string, [Webhook, Partial<AdmissionRequest>, boolean]> = {
    'a star is every operation, group, version and resource': [webhook({}), {}, true],
    'an operation that is not listed is not of interest': [webhook({ operations: ['UPDATE'] }), {}, false],
    'another group is not of interest': [webhook({ apiGroups: ['apps'] }), {}, false],
    'a star for resources does not reach subresources': [webhook({}), { subresource: 'status' }, false],
    'a resource with a star reaches its subresources': [
      webhook({ resources: ['pods/*'] }),
      { subresource: 'status' },
      true,
    ],
    'a resource with a star reaches the resource itself': [webhook({ resources: ['pods/*'] }), {}, true],
    'a subresource of any resource': [webhook({ resources: ['*/status'] }), { subresource: 'status' }, true],
    'one subresource is not another': [webhook({ resources: ['pods/eviction'] }), { subresource: 'status' }, false],
    'the scope of the resource matters': [webhook({ scope: 'Cluster' }), {}, false],
    'a namespace is of cluster scope': [webhook({ scope: 'Cluster' }), { info: namespaces, name: 'blue' }, true],
    'a namespace that the selector wants': [
      webhook({}, { namespaceSelector: { matchLabels: { colour: 'blue' } } }),
      {},
      true,
    ],
    'a namespace that the selector does not want': [
      webhook({}, { namespaceSelector: { matchLabels: { colour: 'red' } } }),
      {},
      false,
    ],
    'a namespace is selected by the labels it will have': [
      webhook({}, { namespaceSelector: { matchLabels: { colour: 'red' } } }),
      { info: namespaces, name: 'blue', object: { metadata: { labels: { colour: 'red' } } } },
      true,
    ],
    'what is in no namespace is never left out by a namespace selector': [
      webhook({}, { namespaceSelector: { matchLabels: { colour: 'red' } } }),
      { info: nodes, namespace: '' },
      true,
    ],
    'an object that the selector wants': [webhook({}, { objectSelector: { matchLabels: { app: 'web' } } }), {}, true],
    'an object that lost the label is still of interest': [
      webhook({}, { objectSelector: { matchLabels: { app: 'old' } } }),
      { oldObject: { metadata: { labels: { app: 'old' } } } },
      true,
    ],
    'an object without the label is not': [webhook({}, { objectSelector: { matchLabels: { app: 'db' } } }), {}, false],
    'conditions that are true': [
      webhook(
        {},
        {
          matchConditions: [
            { name: 'user', expression: 'request.userInfo.username == "ann" && "dev" in request.userInfo.groups' },
            { name: 'label', expression: 'object.metadata.labels.app == "web" && oldObject == null' },
          ],
        },
      ),
      {},
      true,
    ],
    'one condition that is false, even if another fails': [
      webhook(
        {},
        {
          matchConditions: [
            { name: 'broken', expression: 'object.spec.missing == 1' },
            { name: 'false', expression: 'request.name == "b"' },
          ],
        },
      ),
      {},
      false,
    ],
    'a condition that fails, where failures are ignored': [
      webhook(
        {},
        { failurePolicy: 'Ignore', matchConditions: [{ name: 'broken', expression: 'object.spec.no == 1' }] },
      ),
      {},
      false,
    ],
  };
  it.each(Object.entries(cases))('%s', async (_name, [hook, request, expected]) => {
    expect(await isAsked(hook, request)).toBe(expected);
  });

  it('a condition that fails refuses the request, unless failures are ignored', async () => {
    const broken = webhook({}, { matchConditions: [{ name: 'broken', expression: 'object.spec.no == 1' }] });
    await expect(isAsked(broken)).rejects.toThrow(KubeError);
    await expect(isAsked(broken)).rejects.toThrow(
      'pods "a" is forbidden: expression \'object.spec.no == 1\' resulted in error: no such key: spec',
    );
  });

  it('a rule for another version of the same objects matches them in that version, unless it wants an exact match', async () => {
    const rule = { apiGroups: ['events.k8s.io'] };
    const request = { ...podRequest, info: events };
    expect(await invocationOf(options, webhook(rule), request)).toMatchObject({
      group: 'events.k8s.io',
      version: 'v1',
    });
    expect(await invocationOf(options, webhook(rule, { matchPolicy: 'Exact' }), request)).toBeUndefined();
  });

  it('conditions do not hold up the event loop, whatever they cost for an object', async () => {
    const args = Array.from({ length: 1000 }, (_, index) => `${index}`);
    const object = { metadata: { name: 'a' }, args };
    const expression = "object.args.all(a, object.args.all(b, a + b != ''))";
    const conditions = ['one', 'two'].map((name) => ({ name, expression: `${expression} || '${name}' == ''` }));
    const hook = webhook({}, { failurePolicy: 'Ignore', matchConditions: conditions });
    expect(await longestTurn(() => isAsked(hook, { object }))).toBeLessThan(acceptableMs);
  });

  it('conditions without an answer refuse nothing: the client sends the request again', async () => {
    const error = new RuleTaskError('it did not end within 10000 ms', true);
    using evaluate = vi.spyOn(ruleRunner, 'evaluate').mockRejectedValue(error);
    const hook = webhook({}, { matchConditions: [{ name: 'true', expression: 'true' }] });
    await expect(isAsked(hook)).rejects.toMatchObject({ status: 503, code: 'Unavailable' });
    expect(evaluate.mock.calls[0]?.[3]).toMatchObject({ owner: 'ann' });
  });
});
