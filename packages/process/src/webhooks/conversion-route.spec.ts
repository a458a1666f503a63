import { describe, expect, it } from 'vitest';
import { serve } from '../serving/serve.ts';
import { type ConversionRouteOptions, conversionRoute } from './conversion-route.ts';

const convert: ConversionRouteOptions['convert'] = (object, apiVersion) => {
  if (object.metadata?.name === 'bad') throw new Error('bad cannot be converted');
  return { ...object, apiVersion };
};

async function ask(body: unknown) {
  const route = conversionRoute({ path: '/convert', convert, maxBytes: 2000 });
  await using server = await serve({ address: { host: '127.0.0.1', port: 0 }, routes: [route] });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${server.url}/convert`, { method: 'POST', body: text });
  const answer = await response.text();
  return { status: response.status, answer: response.ok ? JSON.parse(answer) : answer };
}

const thing = (name: string, apiVersion = 'example.com/v1') => ({ apiVersion, kind: 'Thing', metadata: { name } });
const review = (objects: readonly object[], apiVersion = 'apiextensions.k8s.io/v1') => ({
  apiVersion,
  kind: 'ConversionReview',
  request: { uid: 'u1', desiredAPIVersion: 'example.com/v2', objects },
});

describe('a conversion webhook', () => {
  it.each(['v1', 'v1beta1'])('answers a review of %s in kind, object for object', async (version) => {
    const apiVersion = `apiextensions.k8s.io/${version}`;
    expect(await ask(review([thing('a'), thing('b')], apiVersion))).toEqual({
      status: 200,
      answer: {
        apiVersion,
        kind: 'ConversionReview',
        response: {
          uid: 'u1',
          convertedObjects: [thing('a', 'example.com/v2'), thing('b', 'example.com/v2')],
          result: { status: 'Success' },
        },
      },
    });
  });

  it('fails as a whole when one object cannot be converted, and says why', async () => {
    const { answer } = await ask(review([thing('a'), thing('bad')]));
    expect(answer.response).toMatchObject({ uid: 'u1', convertedObjects: [], result: { status: 'Failure' } });
    expect(answer.response.result.message).toContain('bad cannot be converted');
  });

  it.each([
    ['no JSON', '{', 'not JSON'],
    ['another kind', { ...review([]), kind: 'AdmissionReview' }, 'not a ConversionReview'],
    ['objects that are none', { ...review([]), request: { uid: 'u', desiredAPIVersion: 'v', objects: [1] } }, 'not a'],
    ['another version', review([], 'apiextensions.k8s.io/v9'), 'send apiextensions.k8s.io/v1 or'],
  ])('refuses %s', async (_, body, why) => {
    expect(await ask(body)).toMatchObject({ status: 400, answer: expect.stringContaining(why) });
  });

  it('does not read more than it may', async () => {
    expect((await ask(review([thing('a'.repeat(3000))]))).status).toBe(413);
  });
});
