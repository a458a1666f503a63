import { describe, expect, it } from 'vitest';
import { createKubeClient } from '../resources/kube-client.ts';
import { ScriptedTransport } from '../testing/scripted-transport.ts';
import { reviewAccess } from './review-access.ts';

const access = { resourceAttributes: { verb: 'get', group: '', resource: 'pods', namespace: 'shop' } };

describe('an access review', () => {
  it('names the user and what they want to do', async () => {
    const transport = new ScriptedTransport(() => ({ body: { status: { allowed: true } } }));
    const user = { username: 'jane', uid: 'u1', groups: ['dev'], extra: { scopes: ['a'] } };
    expect(await reviewAccess(createKubeClient({ transport }), user, access)).toEqual({ allowed: true });
    expect(transport.last.path).toContain('/apis/authorization.k8s.io/v1/subjectaccessreviews');
    expect(JSON.parse(String(transport.last.body)).spec).toEqual({
      ...access,
      user: 'jane',
      uid: 'u1',
      groups: ['dev'],
      extra: { scopes: ['a'] },
    });
  });

  it.each([
    ['without an answer', {}, { allowed: false }],
    ['that is allowed and denied', { allowed: true, denied: true, reason: 'no' }, { allowed: false, reason: 'no' }],
    ['whose authorizer failed', { allowed: false, evaluationError: 'down' }, { allowed: false, reason: 'down' }],
  ])('%s is a refusal', async (_, status, decision) => {
    const transport = new ScriptedTransport(() => ({ body: { status } }));
    expect(await reviewAccess(createKubeClient({ transport }), { username: 'jane' }, access)).toEqual(decision);
  });
});
