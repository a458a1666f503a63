import { describe, expect, it } from 'vitest';
import { otherWriters } from './writers.ts';

const manifest = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web', labels: { 'app.kubernetes.io/name': 'web' } },
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'web', image: 'nginx' }] } } },
};

const writtenBy = (manager: string, fieldsV1: object, parts: object = {}) => ({
  ...manifest,
  metadata: {
    ...manifest.metadata,
    managedFields: [
      { manager, operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1, ...parts },
    ],
  },
});

describe('who writes an object besides the agent', () => {
  it.each([
    ['the agent itself', writtenBy('work-agent', { 'f:spec': { 'f:replicas': {} } })],
    ['the agent by another name', writtenBy('work-agent-app', { 'f:spec': { 'f:replicas': {} } })],
    ['a controller that reports', writtenBy('kube-controller-manager', { 'f:status': {} }, { subresource: 'status' })],
    ['one who wrote the status only', writtenBy('old', { 'f:status': { 'f:replicas': {} } })],
    ['no one', manifest],
  ])('is not %s', (_, object) => {
    expect(otherWriters(object, manifest)).toEqual([]);
  });

  it('is shown with the fields, and which of them the manifest sets too', () => {
    const object = writtenBy(
      'kubectl-edit',
      {
        'f:metadata': { 'f:annotations': { '.': {}, 'f:example.com/note': {} } },
        'f:spec': {
          'f:replicas': {},
          'f:template': {
            'f:spec': {
              'f:containers': {
                'k:{"name":"web"}': { 'f:image': {} },
                'k:{"name":"sidecar"}': { '.': {}, 'f:image': {} },
              },
            },
          },
        },
      },
      { time: '2026-01-01T00:00:00Z' },
    );
    expect(otherWriters(object, manifest)).toEqual([
      {
        manager: 'kubectl-edit',
        operation: 'Update',
        time: '2026-01-01T00:00:00Z',
        fields: [
          'metadata.annotations["example.com/note"]',
          'spec.replicas',
          'spec.template.spec.containers[name=web].image',
          'spec.template.spec.containers[name=sidecar].image',
        ],
        contested: ['spec.replicas', 'spec.template.spec.containers[name=web].image'],
      },
    ]);
  });

  it('follows lists of values and of positions', () => {
    const object = writtenBy('x', { 'f:list': { 'v:"a"': {}, 'v:"b"': {}, 'i:1': {} } });
    expect(otherWriters(object, { list: ['a', 'c'] })[0]?.contested).toEqual(['list["a"]', 'list[1]']);
  });
});
