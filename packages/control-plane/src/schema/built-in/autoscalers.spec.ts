import type { KubeObject } from '@flotilla/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { autoscalerInVersion } from './autoscalers.ts';

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const autoscaler = (spec: object, status: object = { currentMetrics: null }) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a' },
  spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  status,
});
const cpu = (averageUtilization: number) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

const quantity = fc.constantFrom('1', '10Mi', '250m');
const name = fc.constantFrom('hits', 'queue');
const metric = fc.oneof(
  quantity.map((averageValue) => ({
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue } },
  })),
  fc.tuple(name, quantity).map(([metricName, averageValue]) => ({
    type: 'Pods',
    pods: { metric: { name: metricName }, target: { type: 'AverageValue', averageValue } },
  })),
  fc.tuple(name, quantity).map(([metricName, value]) => ({
    type: 'External',
    external: {
      metric: { name: metricName, selector: { matchLabels: { a: 'b' } } },
      target: { type: 'Value', value },
    },
  })),
  fc.tuple(name, quantity, fc.constantFrom('value', 'averageValue')).map(([metricName, amount, field]) => ({
    type: 'Object',
    object: {
      describedObject: { kind: 'Service', name: 's' },
      metric: { name: metricName },
      target: { type: field === 'value' ? 'Value' : 'AverageValue', [field]: amount },
    },
  })),
  quantity.map((averageValue) => ({
    type: 'ContainerResource',
    containerResource: { name: 'cpu', container: 'c', target: { type: 'AverageValue', averageValue } },
  })),
);

describe('an autoscaler', () => {
  it('has the utilisation of CPU in a field of its older version', () => {
    expect(autoscalerInVersion(autoscaler({ metrics: [cpu(50)] }), 'autoscaling/v1')).toEqual({
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
      status: { currentReplicas: 0 },
    });
  });

  it('gets a utilisation of CPU from its older version if that names nothing', () => {
    const older: KubeObject = { ...autoscaler({}), apiVersion: 'autoscaling/v1' };
    expect(autoscalerInVersion(older, 'autoscaling/v2')).toMatchObject({ spec: { metrics: [cpu(80)] } });
  });

  it('loses nothing on the way to its older version and back', () => {
    fc.assert(
      fc.property(fc.array(metric, { minLength: 1, maxLength: 3 }), fc.boolean(), (metrics, withBehavior) => {
        const rules = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
        const behavior = { scaleUp: { stabilizationWindowSeconds: 0, ...rules }, scaleDown: rules };
        const object = autoscaler({ metrics, ...(withBehavior && { behavior }) });
        const back = autoscalerInVersion(autoscalerInVersion(object, 'autoscaling/v1'), 'autoscaling/v2');
        expect(back).toEqual(object);
      }),
    );
  });

  it('ignores an annotation that is not valid', () => {
    const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': '{', note: 'kept' };
    const older: KubeObject = { ...autoscaler({}), apiVersion: 'autoscaling/v1', metadata: { annotations } };
    expect(autoscalerInVersion(older, 'autoscaling/v2')).toMatchObject({
      metadata: { annotations: { note: 'kept' } },
      spec: { metrics: [cpu(80)] },
    });
  });
});
