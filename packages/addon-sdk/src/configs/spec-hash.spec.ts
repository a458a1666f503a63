import { createHash } from 'node:crypto';
import { type KubeObject, parseJson } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { goJson, specHash } from './spec-hash.ts';

const object = (json: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name: 'x' },
  ...(parseJson(json) as object),
});

describe('the hash of a configuration', () => {
  it.each([
    ['nothing', '{}', '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
    ['a spec', '{"spec":{"test":1}}', 'af144391b79b4b07bd7c579980ae9ed42dc8e34f7babebbf3fd08cacb578fba4'],
    [
      '[addons 29] data instead of a spec',
      '{"data":{"test":1}}',
      '766dd25b5177d7bd3673d1bc2d015b74f9fefec024319e5b6a49eef9236bbfa1',
    ],
    [
      'an empty template',
      '{"spec":{"agentSpec":{"workload":{}},"addonName":"","registration":null}}',
      '3c2de0761c7df5d6a864280a8aa44d1f4d91eecbbcd2ce5af3efb4b76d91d3cd',
    ],
    [
      'a template',
      '{"spec":{"registration":null,"addonName":"test1","agentSpec":{"workload":{}}}}',
      'b59db5673238c791a826f0a8f8710f3d6e49cd4c7a5ee73e186c91412f26fc85',
    ],
    [
      'a deployment config with an empty proxy, as Go clients store it',
      '{"spec":{"proxyConfig":{},"customizedVariables":[{"name":"test","value":"test"}],"agentInstallNamespace":"open-cluster-management-agent-addon"}}',
      'ea4e6089e8b2f584c1cd8b86e16a15df3186b30744f433ede7436091c93a4cc7',
    ],
    [
      'a deployment config without a proxy, as kubectl stores it',
      '{"spec":{"agentInstallNamespace":"open-cluster-management-agent-addon","customizedVariables":[{"name":"test","value":"test"}]}}',
      'daef34d10f53bf4e0b0550286fc451c9bc2d8f78fdc1383249d503ce9e489650',
    ],
    [
      'a deployment config with other variables',
      '{"spec":{"agentInstallNamespace":"open-cluster-management-agent-addon","customizedVariables":[{"name":"test1","value":"test1"}],"proxyConfig":{}}}',
      'b746cc98936955dd2168640f0011a14f2a74be306c747bc8ba829328cc772690',
    ],
  ])('of %s', (_, json, hash) => {
    expect(specHash(object(json))).toBe(hash);
  });

  it('[addons 28] is the same whatever metadata and status say', () => {
    const one = { ...object('{"spec":{"a":1}}'), status: { phase: 'Ready' } };
    const other = { ...object('{"spec":{"a":1}}'), metadata: { name: 'y', labels: { a: 'b' } } };
    expect(specHash(one)).toBe(specHash(other));
  });

  it('counts all digits of a large number', () => {
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(specHash(object('{"spec":{"n":9007199254740993}}'))).toBe(hashOf('{"spec":{"n":9007199254740993}}'));
  });
});

describe('JSON as Go writes it', () => {
  it.each([
    [
      'keys in the order of their bytes',
      '{"z":1,"\\ue000":2,"\\ud83d\\ude00":3,"a":{"c":1,"b":2}}',
      '{"a":{"b":2,"c":1},"z":1,"\ue000":2,"😀":3}',
    ],
    ['what HTML would read', '["<a href=\\"x\\">&</a>"]', '["\\u003ca href=\\"x\\"\\u003e\\u0026\\u003c/a\\u003e"]'],
    ['line separators', '["\\u2028\\u2029"]', '["\\u2028\\u2029"]'],
    ['control characters', '["\\b\\f\\n\\r\\t\\u0001\\u007f"]', '["\\b\\f\\n\\r\\t\\u0001\u007f"]'],
    ['half a surrogate pair', '["\\ud800"]', '["\ufffd"]'],
    [
      'numbers',
      '[1.0,0.000001,1e-7,1e21,1e20,-9223372036854775808,18446744073709551616]',
      '[1,0.000001,1e-7,1e+21,100000000000000000000,-9223372036854775808,18446744073709552000]',
    ],
    ['null, lists and booleans', '{"a":null,"b":[true,false,null,[]]}', '{"a":null,"b":[true,false,null,[]]}'],
  ])('%s', (_, json, text) => {
    expect(goJson(parseJson(json))).toBe(text);
  });
});
