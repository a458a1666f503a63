import { createKubeClient, KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeRequest, Transport } from '@flotilla/kube/transport';
import { NEVER } from 'rxjs';
import { expect, test } from 'vitest';
import { installCrds } from './crds.ts';

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ships.example.org' },
  spec: {
    group: 'example.org',
    names: { plural: 'ships' },
    versions: [
      { name: 'v1', served: true },
      { name: 'v1alpha1', served: false },
    ],
  },
};

const setUp = (answer: (request: KubeRequest) => object) => {
  const clock = new FakeClock();
  const sent: string[] = [];
  const transport: Transport = {
    async request(request) {
      sent.push(`${request.method} ${request.path.split('?')[0]}`);
      return { status: 200, headers: {}, body: JSON.stringify(answer(request)) };
    },
    stream: () => Promise.reject(new Error('nothing is watched here')),
    accessChanged: NEVER,
    close: async () => {},
  };
  return { clock, sent, client: createKubeClient({ transport, clock }), options: { clock, timeoutMs: 1000 } };
};

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ships.example.org';

test('a CRD is applied, then polled until it is established and its versions are served', async () => {
  let established = false;
  let lists = 0;
  const { clock, sent, client, options } = setUp(({ method, path }) => {
    if (method === 'PATCH') return {};
    if (path.startsWith('/apis/example.org/')) {
      lists += 1;
      if (lists === 1) throw new KubeError('NotFound', 'not yet');
      return { items: [] };
    }
    const conditions = established ? [{ type: 'Established', status: 'True' }] : [];
    established = true;
    return { ...crd, status: { conditions } };
  });
  const installed = installCrds(client, [crd], options);
  await clock.advance(1000);
  await installed;
  const list = 'GET /apis/example.org/v1/ships';
  expect(sent).toEqual([`PATCH ${path}`, `GET ${path}`, `GET ${path}`, list, `GET ${path}`, list]);
});

test('names that clash with those of another CRD are reported', async () => {
  const conditions = [{ type: 'NamesAccepted', status: 'False', message: '"ships" is already in use' }];
  const { clock, client, options } = setUp(() => ({ ...crd, status: { conditions } }));
  const installed = expect(installCrds(client, [crd], options)).rejects.toThrow(
    /names are not accepted: "ships" is already/,
  );
  await clock.advance(1000);
  await installed;
});

test('something else than a CRD is refused before anything is sent', async () => {
  const { sent, client, options } = setUp(() => ({}));
  const pod = { kind: 'Pod', metadata: { name: 'p' } };
  await expect(installCrds(client, [crd, pod], options)).rejects.toThrow(
    'crds: Pod p is not a CustomResourceDefinition',
  );
  expect(sent).toEqual([]);
});
