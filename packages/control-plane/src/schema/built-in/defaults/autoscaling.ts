import type { JsonObject } from '@flotilla/schema';
import { child, type Defaulter, ensure, fill } from './fill.ts';

const periodSeconds = 15;
const scaleUp: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds },
    { type: 'Percent', value: 100, periodSeconds },
  ],
};
const scaleDown: JsonObject = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds }] };

/** Without any metric, an autoscaler keeps the CPU of its pods at this share of what they request. */
export const cpuUtilization = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
export const defaultCpuUtilization = 80;

/** Autoscalers of both versions; the older one gets its metric when it is stored. */
export const defaultAutoscaler: Defaulter = (autoscaler) => {
  const spec = ensure(autoscaler, 'spec');
  fill(spec, { minReplicas: 1 });
  if (autoscaler.apiVersion === 'autoscaling/v1') return;
  fill(spec, { metrics: [cpuUtilization(defaultCpuUtilization)] });
  const behavior = child(spec, 'behavior');
  if (!behavior) return;
  fill(ensure(behavior, 'scaleUp'), scaleUp);
  fill(ensure(behavior, 'scaleDown'), scaleDown);
};
