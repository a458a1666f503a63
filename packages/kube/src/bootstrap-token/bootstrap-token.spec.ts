import { describe, expect, it } from 'vitest';
import { signatureChanges } from './cluster-info.ts';
import { isSignedBy, signatureKey, signDetached } from './detached-signature.ts';
import { bootstrapTokenIdOf, formatBootstrapToken, newBootstrapToken, parseBootstrapToken } from './token.ts';
import { bootstrapTokenSecret, readBootstrapToken, type StoredBootstrapToken } from './token-secret.ts';

const token: StoredBootstrapToken = {
  id: 'abcdef',
  secret: '0123456789abcdef',
  usages: ['signing', 'authentication'],
  groups: ['system:bootstrappers:a'],
};

describe('a bootstrap token', () => {
  it('is id.secret, and each new one is another', () => {
    const fresh = newBootstrapToken();
    expect(parseBootstrapToken(formatBootstrapToken(fresh))).toEqual(fresh);
    expect(newBootstrapToken().secret).not.toBe(fresh.secret);
  });

  it.each(['', 'abcdef', 'abcde.0123456789abcdef', 'ABCDEF.0123456789abcdef', 'abcdef.0123456789abcde', 'a.b.c'])(
    'is not %j',
    (text) => expect(parseBootstrapToken(text)).toBeUndefined(),
  );

  it('is named by its id or as a whole', () => {
    expect(['abcdef', 'abcdef.0123456789abcdef', 'abc'].map(bootstrapTokenIdOf)).toEqual([
      'abcdef',
      'abcdef',
      undefined,
    ]);
  });

  it('says in its Secret what it is for, and until when', () => {
    const whole = { ...token, expiresAt: 1_800_000_000_000, description: 'for a' };
    expect(readBootstrapToken(bootstrapTokenSecret(whole))).toEqual(whole);
    expect(readBootstrapToken(bootstrapTokenSecret(token))).toEqual(token);
  });

  it('has ended if its end cannot be read, and is none under the name of another', () => {
    const secret = bootstrapTokenSecret(token);
    const data = { ...secret.data, expiration: Buffer.from('tomorrow').toString('base64') };
    expect(readBootstrapToken({ ...secret, data })?.expiresAt).toBe(0);
    expect(readBootstrapToken({ ...secret, metadata: { name: 'bootstrap-token-zzzzzz' } })).toBeUndefined();
    expect(readBootstrapToken({ ...secret, type: 'Opaque' })).toBeUndefined();
  });
});

describe('a detached signature', () => {
  const signature = signDetached('content', token);

  it('is a JSON Web Signature without its content', () => {
    const [header = '', content, mac] = signature.split('.');
    expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"HS256","kid":"abcdef"}');
    expect([content, mac?.length]).toEqual(['', 43]);
  });

  const none = Buffer.from('{"alg":"none","kid":"abcdef"}').toString('base64url');
  it.each<[string, string, string, StoredBootstrapToken, boolean]>([
    ['of the holder', 'content', signature, token, true],
    ['over another content', 'content ', signature, token, false],
    ['with another secret', 'content', signature, { ...token, secret: 'fedcba9876543210' }, false],
    ['of another token id', 'content', signature, { ...token, id: 'zzzzzz' }, false],
    ['without an algorithm', 'content', `${none}..`, token, false],
    ['that is empty', 'content', '', token, false],
  ])('%s is right or not', (_, content, given, by, expected) => {
    expect(isSignedBy(content, given, by)).toBe(expected);
  });
});

describe('the signatures of cluster-info', () => {
  const key = signatureKey(token);
  const data = { kubeconfig: 'content' };

  it('are those of all tokens that may sign', () => {
    const changes = signatureChanges(data, [token, { ...token, id: 'second', usages: ['authentication'] }], 0);
    expect(changes).toEqual({ [key]: signDetached('content', token) });
    expect(signatureChanges({ ...data, ...changes } as Record<string, string>, [token], 0)).toBeUndefined();
  });

  it('go when their token ends, and change with the content', () => {
    const signed = { ...data, [key]: signDetached('content', token) };
    expect(signatureChanges(signed, [{ ...token, expiresAt: 5 }], 5)).toEqual({ [key]: null });
    expect(signatureChanges(signed, [], 0)).toEqual({ [key]: null });
    expect(signatureChanges({ ...signed, kubeconfig: 'other' }, [token], 0)).toEqual({
      [key]: signDetached('other', token),
    });
  });

  it('are none where there is nothing to sign', () => {
    expect(signatureChanges({ other: 'x' }, [token], 0)).toBeUndefined();
    expect(signatureChanges(undefined, [token], 0)).toBeUndefined();
  });
});
