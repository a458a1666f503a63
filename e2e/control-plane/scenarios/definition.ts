const text = { type: 'string' };

/** A kind with all that a definition can have: two versions, defaults, rules, columns, selectable fields, status and scale. */
export const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.{id}.example.com' },
  spec: {
    group: '{id}.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd{id}'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [
          { name: 'Size', type: 'string', jsonPath: '.spec.size' },
          { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        selectableFields: [{ jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'string', enum: ['small', 'large'] },
                  replicas: { type: 'integer', default: 1, minimum: 0, maximum: 10 },
                  title: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
                  when: { type: 'string', format: 'date-time' },
                  tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
                  ports: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['port'],
                    items: {
                      type: 'object',
                      required: ['port'],
                      properties: { port: { type: 'integer' }, name: { ...text, default: 'web' } },
                    },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  percent: { 'x-kubernetes-int-or-string': true },
                  fixed: {
                    ...text,
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is fixed' }],
                  },
                  maybe: { ...text, nullable: true },
                },
                'x-kubernetes-validations': [
                  {
                    rule: "self.size != 'small' || self.replicas <= 3",
                    message: 'small widgets have at most 3 replicas',
                  },
                ],
              },
              status: {
                type: 'object',
                properties: { phase: text, replicas: { type: 'integer' }, selector: text },
              },
            },
          },
        },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};
