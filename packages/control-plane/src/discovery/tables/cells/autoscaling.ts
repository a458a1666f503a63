import type { HorizontalPodAutoscaler } from '@flotilla/kube/kinds';
import { autoscalerInVersion } from '../../../schema/built-in/autoscalers.ts';
import { type RowPrinter, row } from '../cell.ts';

type Spec = NonNullable<HorizontalPodAutoscaler['spec']>;
type Metric = NonNullable<Spec['metrics']>[number];
type MetricStatus = NonNullable<NonNullable<HorizontalPodAutoscaler['status']>['currentMetrics']>[number];

const shownMetrics = 2;

/** Both versions show the same row. */
export const autoscalerRow: RowPrinter = row<HorizontalPodAutoscaler>((object) => {
  const { spec, status } = autoscalerInVersion(object, 'autoscaling/v2') as HorizontalPodAutoscaler;
  return [
    // Bookmarks are rows of empty objects.
    `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`,
    metricsText(spec?.metrics ?? [], status?.currentMetrics ?? []),
    spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec?.maxReplicas ?? 0,
    status?.currentReplicas ?? 0,
  ];
});

function metricsText(metrics: readonly Metric[], current: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const texts = metrics.slice(0, shownMetrics).map((metric, at) => metricText(metric, current[at]));
  const more = metrics.length - shownMetrics;
  return more > 0 ? `${texts.join(', ')} + ${more} more...` : texts.join(', ');
}

const unknown = '<unknown>';
const percent = (share: number | undefined, otherwise: string): string =>
  share === undefined ? otherwise : `${share}%`;

function metricText(metric: Metric, status: MetricStatus | undefined): string {
  const { resource, containerResource, pods } = metric;
  if (metric.type === 'Pods' && pods) {
    return `${status?.pods?.current.averageValue ?? unknown}/${pods.target.averageValue ?? ''}`;
  }
  const named = metric.type === 'Resource' ? resource : metric.type === 'ContainerResource' ? containerResource : null;
  if (named) {
    const now = (metric.type === 'Resource' ? status?.resource : status?.containerResource)?.current;
    const { averageValue, averageUtilization } = named.target;
    return averageValue === undefined
      ? `${named.name}: ${percent(now?.averageUtilization, unknown)}/${percent(averageUtilization, '<auto>')}`
      : `${named.name}: ${now?.averageValue ?? unknown}/${averageValue}`;
  }
  const measured = metric.type === 'External' ? metric.external : metric.type === 'Object' ? metric.object : undefined;
  if (!measured) return '<unknown type>';
  const now = (metric.type === 'External' ? status?.external : status?.object)?.current;
  const { averageValue, value } = measured.target;
  return averageValue === undefined
    ? `${now?.value ?? unknown}/${value ?? ''}`
    : `${now?.averageValue ?? unknown}/${averageValue} (avg)`;
}
