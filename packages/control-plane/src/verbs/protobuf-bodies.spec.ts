import { describe, expect, it } from 'vitest';
import { message, protobufBody } from '../../fixtures/protobuf-body.ts';
import { startTestPlane } from '../../fixtures/test-plane.ts';
import { widgetDefinition } from '../../fixtures/widget-definition.ts';
import { customResources } from '../schema/custom.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';

interface Answer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly [field: string]: unknown };
}

async function startServer() {
  const { handler, backend } = await startTestPlane();
  backend.registry.setCustom('example.com/widgets', customResources(widgetDefinition));
  const send = async (method: string, path: string, body: Buffer | string, type = protobuf): Promise<Answer> => {
    const answer = await handler({
      method,
      path,
      query: new URLSearchParams(),
      headers: { 'content-type': type, accept: `${protobuf},application/json` },
      readBody: async () => Buffer.from(body),
      user: { name: 'admin', groups: ['system:masters'] },
      signal: new AbortController().signal,
    });
    if (typeof answer.body !== 'string') throw new Error('a watch was not asked for');
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  return { send };
}

const metadata = (name: string): Buffer => message([1, name], [8, Buffer.alloc(0)]);
const configMap = (name: string, value: string): Buffer =>
  protobufBody('v1', 'ConfigMap', message([1, metadata(name)], [2, message([1, 'k'], [2, value])]));
const configMaps = '/api/v1/namespaces/default/configmaps';

describe('a server that is sent protobuf', () => {
  it('creates, updates and deletes', async () => {
    const { send } = await startServer();
    const created = await send('POST', configMaps, configMap('a', 'one'));
    expect(created).toMatchObject({ status: 201, body: { metadata: { name: 'a' }, data: { k: 'one' } } });
    const updated = await send('PUT', `${configMaps}/a`, configMap('a', 'two'));
    expect(updated).toMatchObject({ status: 200, body: { data: { k: 'two' } } });
    const options = (uid: string) => protobufBody('v1', 'DeleteOptions', message([2, message([1, uid])]));
    expect(await send('DELETE', `${configMaps}/a`, options('other'))).toMatchObject({ status: 409 });
    const { uid } = updated.body.metadata as { uid: string };
    expect(await send('DELETE', `${configMaps}/a`, options(uid))).toMatchObject({ status: 200 });
    expect(await send('GET', `${configMaps}/a`, '')).toMatchObject({ status: 404 });
  });

  it('takes subresources of another kind', async () => {
    const { send } = await startServer();
    const labels = { app: 'd' };
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const template = { metadata: { labels }, spec };
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } };
    await send('POST', deployments, JSON.stringify(deployment), 'application/json');
    const scale = protobufBody('autoscaling/v1', 'Scale', message([1, metadata('d')], [2, message([1, 3])]));
    expect(await send('PUT', `${deployments}/d/scale`, scale)).toMatchObject({
      status: 200,
      body: { kind: 'Scale', spec: { replicas: 3 } },
    });
    const pods = '/api/v1/namespaces/default/pods';
    await send('POST', pods, JSON.stringify({ metadata: { name: 'p' }, spec }), 'application/json');
    const eviction = protobufBody('policy/v1', 'Eviction', message([1, metadata('p')]));
    expect(await send('POST', `${pods}/p/eviction`, eviction)).toMatchObject({ status: 201 });
  });

  it.each([
    ['another kind', protobufBody('v1', 'Secret', message([1, metadata('a')]))],
    ['another version', protobufBody('v2', 'ConfigMap', message([1, metadata('a')]))],
    ['bytes that are not a message', protobufBody('v1', 'ConfigMap', Buffer.from([10, 5]))],
    ['JSON that says that it is protobuf', '{"metadata":{"name":"a"}}'],
    ['nothing', ''],
  ])('refuses %s', async (_, body) => {
    const { send } = await startServer();
    expect(await send('POST', configMaps, body)).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });

  it('refuses custom resources, which have no messages, but not the options of their deletion', async () => {
    const { send } = await startServer();
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    const body = protobufBody('example.com/v1', 'Widget', message([1, metadata('w')]));
    const refused = await send('POST', widgets, body);
    expect(refused.status).toBe(415);
    expect(refused.body.message).toMatch(/include: application\/json, application\/yaml$/);
    const options = protobufBody('v1', 'DeleteOptions', Buffer.alloc(0));
    expect(await send('DELETE', `${widgets}/w`, options)).toMatchObject({ status: 404 });
  });

  it('lists protobuf when the type of a body is unknown', async () => {
    const { send } = await startServer();
    const { status, body } = await send('POST', configMaps, 'x', 'text/plain');
    expect(status).toBe(415);
    expect(body.message).toBe(
      `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, ${protobuf}`,
    );
  });
});
