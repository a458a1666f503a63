import { KubeError } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import { expect, test } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';
import type { AdmissionPlugin } from '../contracts/admission.ts';
import { followDefinitions } from '../schema/definitions.ts';

const widgets = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
const definition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced' as const,
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' as const } } }],
  },
};

/** A plugin that decides about the object `late` when it is told to. */
function slowPlugin() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const plugin: AdmissionPlugin = {
    name: 'Slow',
    handles: ({ name }) => name === 'late',
    validate() {
      asked.resolve();
      return answer.promise;
    },
  };
  return { plugin, asked: asked.promise, answer: () => answer.resolve() };
}

test.each([
  ['deleted', [], { code: 404, message: 'widgets.example.com "late" not found' }],
  [
    'being deleted',
    ['example.com/kept'],
    { code: 405, message: 'create is not supported on resources of kind "widgets.example.com"' },
  ],
])(
  'an object whose definition is %s while a webhook decides about it is not stored',
  async (_, finalizers, refusal) => {
    const slow = slowPlugin();
    const plane = await startTestPlane({ plugins: [slow.plugin] });
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(followDefinitions({ ...plane.backend }));
    cleanup.use(plane.runControllers());
    const definitions = plane.client.resource(customResourceDefinitions);
    await definitions.create({ ...definition, metadata: { ...definition.metadata, finalizers } });
    await plane.quiet();
    const created = plane.client.resource(widgets).create({ metadata: { namespace: 'default', name: 'late' } });
    const refused = created.then(() => undefined, KubeError.from);
    await slow.asked;
    await definitions.delete('widgets.example.com');
    await plane.quiet();
    slow.answer();
    expect((await refused)?.apiStatus).toMatchObject(refusal);
    expect(plane.backend.storage.list('example.com/widgets')).toEqual([]);
  },
);
