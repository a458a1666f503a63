import { describe, expect, it } from 'vitest';
import type { Manifest } from '../manifest.ts';
import { printedFormHash } from '../printed-form.ts';
import { createIgnoreFields, type IgnoreField } from './ignore-fields.ts';
import { IgnoreFieldsError } from './ignore-fields-error.ts';

const key = 'open-cluster-management.io/config-spec-hash';
const ignoreFields = createIgnoreFields();

const deployment = (): Manifest & { spec: object } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', annotations: { 'prometheus.io/scrape': 'true', other: 'x' } },
  spec: {
    replicas: 2,
    template: {
      spec: {
        containers: [
          { name: 'app', image: 'app:1', env: [{ name: 'JAVA_OPTS', value: '512m' }, { name: 'B' }] },
          { name: 'istio-proxy', image: 'proxy:1' },
        ],
        volumes: [{ name: 'istio-data' }, { name: 'data' }],
      },
    },
  },
});

const containers = '.spec.template.spec.containers';
const present = (fields: Omit<IgnoreField, 'condition'>): IgnoreField => ({ condition: 'OnSpokePresent', ...fields });
const bodyWithout = async (fields: Omit<IgnoreField, 'condition'>): Promise<string> =>
  JSON.stringify((await ignoreFields(deployment(), [present(fields)])).body);

describe('a manifest with ignored fields', () => {
  it('[work 18.F-73] lacks them in the body for an object that exists, and has them for one that does not', async () => {
    const manifest = deployment();
    const { body, original, hash } = await ignoreFields(manifest, [present({ jsonPaths: ['.spec.replicas'] })]);
    expect(body).not.toHaveProperty('spec.replicas');
    expect(original).toHaveProperty('spec.replicas', 2);
    expect(body.metadata?.annotations?.[key]).toBe(hash);
    expect(original.metadata?.annotations).toEqual(body.metadata?.annotations);
    expect(manifest).toEqual(deployment());
  });

  it('[work 18.F-74] has the hash of what is left, without the annotation', async () => {
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'test', namespace: 'default' },
      data: { foo1: 'bar1', foo: 'bar' },
    };
    const { hash } = await ignoreFields(configMap, [present({ jsonPaths: ['.data.foo'] })]);
    expect(hash).toBe('4c07ba481d04e9c38e5ed3bf24139537');
  });

  it('[work 18.F-79] keeps fields that are ignored once others change them, so that a change on the hub changes the hash', async () => {
    const fields: IgnoreField[] = [{ condition: 'OnSpokeChange', jsonPaths: ['.spec.replicas'] }];
    const { body, hash } = await ignoreFields(deployment(), fields);
    expect(body).toHaveProperty('spec.replicas', 2);
    expect(hash).toBe(printedFormHash(deployment()));
    const changed = { ...deployment(), spec: { ...deployment().spec, replicas: 3 } };
    expect((await ignoreFields(changed, fields)).hash).not.toBe(hash);
  });

  it('[work 18.F-80] [work 18.F-81] has the same hash whatever an ignored field says', async () => {
    const fields = [present({ jsonPointers: ['/spec/replicas'] })];
    const { hash } = await ignoreFields(deployment(), fields);
    const changed = { ...deployment(), spec: { ...deployment().spec, replicas: 3 } };
    expect((await ignoreFields(changed, fields)).hash).toBe(hash);
  });
});

describe('[work 18.F-72] JSON paths', () => {
  it('remove several fields', async () => {
    const { body } = await ignoreFields(deployment(), [
      present({ jsonPaths: ['.spec.replicas', '.spec.template.spec.volumes', '.spec.missing.deep'] }),
    ]);
    expect(body).not.toHaveProperty('spec.replicas');
    expect(body).not.toHaveProperty('spec.template.spec.volumes');
  });

  it('remove a field of the list elements that a filter selects', async () => {
    const body = await bodyWithout({ jsonPaths: [`${containers}[?(@.name=="app")].image`] });
    expect(body).not.toContain('app:1');
    expect(body).toContain('proxy:1');
  });

  it.each([`${containers}[?(@.name=="app")]`, 'spec', '.spec[', '.spec.replicas.x[0].y', '..', ''])(
    'remove nothing and are not an error as %j',
    async (path) => {
      const { hash } = await ignoreFields(deployment(), [present({ jsonPaths: [path] })]);
      expect(hash).toBe(printedFormHash(deployment()));
    },
  );
});

describe('[work 18.F-75] JSON pointers', () => {
  it('remove the field, also one whose key holds a slash', async () => {
    const { body } = await ignoreFields(deployment(), [
      present({ jsonPointers: ['/spec/replicas', '/metadata/annotations/prometheus.io~1scrape'] }),
    ]);
    expect(body).not.toHaveProperty('spec.replicas');
    expect(body.metadata?.annotations).toEqual({ other: 'x', [key]: expect.any(String) });
  });

  it('remove elements of lists', async () => {
    const body = await bodyWithout({
      jsonPointers: ['/spec/template/spec/containers/-1', '/spec/template/spec/volumes/0'],
    });
    expect(body).not.toContain('istio');
  });

  it.each(['', '/', '/spec/missing', '/spec/missing/deep', '/spec/replicas/deep', '/spec/template/spec/volumes/x/y'])(
    'are not an error where %j does not exist',
    async (pointer) => {
      const { hash } = await ignoreFields(deployment(), [present({ jsonPointers: [pointer] })]);
      expect(hash).toBe(printedFormHash(deployment()));
    },
  );

  it.each(['/spec/template/spec/volumes/2', '/spec/template/spec/volumes/-3', '/spec/template/spec/volumes/x'])(
    'are an error where the list cannot have the element %s',
    async (pointer) => {
      await expect(ignoreFields(deployment(), [present({ jsonPointers: [pointer] })])).rejects.toThrow(
        `JSON Pointer error in '${pointer}': `,
      );
    },
  );
});

describe('[work 18.F-76] jq expressions', () => {
  it('remove a container', async () => {
    const body = await bodyWithout({ jqPathExpressions: [`${containers}[] | select(.name == "istio-proxy")`] });
    expect(body).not.toContain('istio-proxy');
    expect(body).toContain('app:1');
  });

  it('go together with pointers, and remove what was injected', async () => {
    const { body } = await ignoreFields(deployment(), [
      present({
        jsonPointers: ['/spec/replicas'],
        jqPathExpressions: [
          `${containers}[] | select(.name | startswith("istio-"))`,
          '.spec.template.spec.volumes[]? | select(.name | test("^istio-"))',
        ],
      }),
    ]);
    expect(body).not.toHaveProperty('spec.replicas');
    expect(JSON.stringify(body)).not.toContain('istio');
  });

  it('[work 18.F-82] remove one environment variable and leave the others', async () => {
    const body = await bodyWithout({
      jqPathExpressions: [`${containers}[] | select(.name == "app") | .env[] | select(.name == "JAVA_OPTS")`],
    });
    expect(body).not.toContain('JAVA_OPTS');
    expect(body).toContain('"env":[{"name":"B"}]');
  });

  it('do not see the environment of the agent', async () => {
    const name = Object.keys(process.env).find(
      (each) => /^[A-Z]+$/.test(each) && !['HOME', 'PATH', 'LANG', 'PWD', 'USER'].includes(each),
    );
    const { hash } = await ignoreFields(deployment(), [
      present({ jqPathExpressions: [`.spec | select(env["${name}"] != null)`] }),
    ]);
    expect(hash).toBe(printedFormHash(deployment()));
  });
});

describe('[work 18.F-77] a jq expression that is wrong', () => {
  it.each([
    ['.spec[', 'failed to parse jq expression: '],
    ['nosuchfunction', 'failed to parse jq expression: '],
    ['.spec.replicas.deep', 'jq expression returned error: Cannot index number'],
    ['.spec) | empty | (.', 'jq expression did not return any data'],
    ['.spec), (.', 'jq expression returned multiple objects'],
    ['.', 'jq expression result is not a valid object'],
    ['.spec) | [.] | (.', 'jq expression result is not a valid object'],
  ])('%s is reported and changes nothing', async (expression, why) => {
    const failure = ignoreFields(deployment(), [present({ jqPathExpressions: [expression] })]);
    await expect(failure).rejects.toThrow(IgnoreFieldsError);
    await expect(failure).rejects.toThrow(`JQ expression error in '${expression}': ${why}`);
  });

  it('is ended after a second, and the next one works', async () => {
    await expect(ignoreFields(deployment(), [present({ jqPathExpressions: ['until(false; .)'] })])).rejects.toThrow(
      "JQ expression error in 'until(false; .)': jq expression execution timed out after 1s",
    );
    expect(await bodyWithout({ jqPathExpressions: ['.spec.replicas'] })).not.toContain('replicas');
  });

  it('does not break others that come at the same time', async () => {
    const expressions = ['until(false; .)', '.spec.replicas', '.spec.template'];
    const results = await Promise.allSettled(
      expressions.map((expression) => ignoreFields(deployment(), [present({ jqPathExpressions: [expression] })])),
    );
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('[work 18.F-78] is not run when the apply was cancelled, which the error keeps', async () => {
    const reason = new Error('stopped');
    const caller = { owner: 'work c1/a', signal: AbortSignal.abort(reason) };
    const failure = ignoreFields(deployment(), [present({ jqPathExpressions: ['.spec.replicas'] })], caller);
    await expect(failure).rejects.toThrow(/^JQ expression error in '\.spec\.replicas': .*context canceled$/);
    await expect(failure).rejects.toMatchObject({ name: 'IgnoreFieldsError', cause: reason });
  });
});
