import { createKubeClient } from '@flotilla/kube';
import { parseJson, stringifyJson } from '@flotilla/kube/meta';
import type { KubeRequest, KubeResponse } from '@flotilla/kube/transport';
import { printedForm } from '@flotilla/schema';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { sameBody } from './apply/update/generic-rule.ts';
import { serviceSpecHash } from './apply/update/go-json.ts';
import { includes } from './apply/update/trust.ts';
import { createConditionRuleCompiler } from './condition-rules/condition-rules.ts';
import { compileFeedbackRules } from './feedback/feedback-rules.ts';
import { gadget } from './fixtures/manifests.ts';
import { createIgnoreFields } from './ignore-fields/ignore-fields.ts';
import type { Manifest } from './manifest.ts';
import { planOf } from './work/plan.ts';

const digits = '9007199254740993';
const near = '9007199254740992';
const textOf = (size: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"namespace":"default","name":"g"},"spec":{"size":${size}}}`;
const read = (size: string): Manifest => parseJson(textOf(size)) as Manifest;
const type = { group: 'example.com', version: 'v1', kind: 'Gadget', plural: 'gadgets', namespaced: true } as const;

describe('an integer that a JavaScript number cannot hold', () => {
  it('keeps its digits through the client, in both directions and in every kind of write', async () => {
    const bodies: unknown[] = [];
    const respond = async ({ body }: KubeRequest): Promise<KubeResponse> => {
      bodies.push(body);
      return { status: 200, headers: {}, body: textOf(digits) };
    };
    const client = createKubeClient({
      transport: {
        request: respond,
        stream: () => Promise.reject(new Error('no watch')),
        accessChanged: NEVER,
        close: async () => {},
      },
    });
    const gadgets = client.resource<Manifest>(type);
    const object = await gadgets.get('default/g');
    await gadgets.create(object);
    await gadgets.replace(object);
    await gadgets.apply(object, { fieldManager: 'work-agent' });
    await gadgets.patch('default/g', { type: 'merge', body: { spec: object.spec } });
    expect(bodies.slice(1, 4)).toEqual([textOf(digits), textOf(digits), textOf(digits)]);
    expect(bodies[4]).toBe(`{"spec":{"size":${digits}}}`);
  });

  it('is another order when a digit changes, and drift when the live object has another one', () => {
    const digest = (size: string) =>
      planOf({
        metadata: { name: 'w' },
        spec: { workload: { manifests: [{ ...gadget('example.com', 'g'), ...read(size) } as never] } },
      })[0]?.digest;
    expect(digest(digits)).toBe(digest(digits));
    expect(digest(digits)).not.toBe(digest(near));
    expect(sameBody(read(digits), read(digits))).toBe(true);
    expect(sameBody(read(digits), read(near))).toBe(false);
    expect(includes(read(digits), read(digits))).toBe(true);
    expect(includes(read(near), read(digits))).toBe(false);
  });

  it('is hashed and printed with all its digits', async () => {
    expect(printedForm(read(digits).spec)).toBe(`map[size:${digits}]`);
    expect(serviceSpecHash({ healthCheckNodePort: 9007199254740993n })).not.toBe(
      serviceSpecHash({ healthCheckNodePort: 9007199254740992n }),
    );
    const ignoring = createIgnoreFields();
    const fields = [{ condition: 'OnSpokePresent' as const, jqPathExpressions: ['.spec.other'] }];
    const { body, original } = await ignoring(read(digits), fields);
    expect(stringifyJson(body.spec)).toBe(`{"size":${digits}}`);
    expect(stringifyJson(original.spec)).toBe(`{"size":${digits}}`);
  });

  it('is reported with all its digits by feedback, and known to condition rules', async () => {
    const jsonPaths = [
      { name: 'size', path: '.spec.size' },
      { name: 'all', path: '.spec' },
    ];
    const feedback = compileFeedbackRules([{ type: 'JSONPaths', jsonPaths }], {
      rawJson: true,
      maxJsonRawLength: 1024,
    });
    const { values } = feedback.read(read(digits));
    expect(stringifyJson(values)).toContain(`"integer":${digits}`);
    expect(values[1]?.fieldValue.jsonRaw).toBe(`{"size":${digits}}`);
    const compile = createConditionRuleCompiler();
    const rules = await compile([
      {
        type: 'CEL',
        condition: 'Exact',
        celExpressions: [`object.spec.size == ${digits}`, `object.spec.size != ${near}`],
      },
    ]);
    expect(await rules.evaluate(read(digits))).toMatchObject([{ type: 'Exact', status: 'True' }]);
  });
});
