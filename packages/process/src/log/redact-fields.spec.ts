import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactFields } from './redact-fields.ts';
import { redactText } from './redact-text.ts';

const secret = 'hunter2-5f3a';
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
const pem = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----';

describe('fields of a log line', () => {
  it.each([
    ['an authorization header', { headers: { Authorization: `Bearer ${secret}` } }],
    ['a token by its name', { token: secret }],
    ['a token deep in an object', { cluster: { user: { id_token: secret } } }],
    ['a password in a list', { users: [{ password: secret }] }],
    ['key data of a kubeconfig', { 'client-key-data': secret }],
    ['the content of a kubeconfig', { bootstrapKubeconfig: `apiVersion: v1\nusers:\n- token: ${secret}` }],
    ['a kubeconfig as an object', { kubeconfig: { users: [{ user: { username: secret } }] } }],
    ['the data of a Secret', { object: { kind: 'Secret', data: { anything: secret }, stringData: { other: secret } } }],
    ['a password in a URL', { proxy: `http://user:${secret}@proxy:3128` }],
    ['a password in a URL object', { proxy: new URL(`http://user:${secret}@proxy:3128`) }],
    ['a token in a text', { output: `apiVersion: v1\n    token: ${secret}\n` }],
    ['a password in JSON text', { body: `{"password":"${secret}"}` }],
    ['a token in a Map', { headers: new Map([['authorization', secret]]) }],
    ['a token in the message of an error', { err: new Error(`refused: Bearer ${secret}`) }],
    ['a token in the cause of an error', { err: new Error('x', { cause: new Error(`token: ${secret}`) }) }],
  ])('never show %s', (_, fields) => {
    expect(JSON.stringify(redactFields(fields))).not.toContain(secret);
  });

  it.each([jwt, pem])('never show what looks like a secret: %s', (text) => {
    expect(JSON.stringify(redactFields({ note: `got ${text} back` }))).not.toMatch(/eyJhbG|MIIEvQ/);
  });

  it('keep what operators need', () => {
    const fields = {
      key: 'default/web',
      kubeconfig: '/etc/hub/kubeconfig',
      tokenFile: '/var/run/token',
      retries: 3,
      ready: false,
      missing: undefined,
      token: '',
      labels: ['a', 'b'],
      object: { kind: 'ConfigMap', data: { color: 'blue' } },
    };
    expect(redactFields(fields)).toEqual(fields);
  });

  it('show bytes by their number and big integers as text', () => {
    expect(redactFields({ body: new Uint8Array(5), size: 12n })).toEqual({ body: '<5 bytes>', size: '12' });
  });

  it('cut an object that contains itself', () => {
    const loop: Record<string, unknown> = { name: 'loop' };
    loop.self = loop;
    expect(JSON.stringify(redactFields(loop))).toContain('<deeper>');
  });

  it('become JSON whatever they are', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withMap: true, withDate: true })),
        (fields) => {
          JSON.stringify(redactFields(fields));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a text', () => {
  it('stays as it is when it holds no secret', () => {
    for (const text of ['watching tokens: 3', 'GET https://hub:6443/api answered 401', 'key a/b requeued']) {
      expect(redactText(text)).toBe(text);
    }
  });
});
