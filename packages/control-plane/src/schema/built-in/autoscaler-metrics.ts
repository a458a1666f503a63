import { isRecord, type Json, type JsonObject } from '@flotilla/schema';

/** Metrics of an autoscaler are wanted or measured: each version has its own shape for either. */
export type MetricSide = 'target' | 'current';

export const fieldsOf = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {});
export const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** Without the fields that are not there. */
const present = (fields: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== null),
  );

/** A metric as autoscaling/v1 keeps it in an annotation; the text is compared, so the order of fields is that of Kubernetes. */
export function olderMetric(metric: JsonObject, side: MetricSide): JsonObject {
  const kind = kindOf(metric);
  const source = fieldsOf(metric[kind]);
  const amounts = fieldsOf(source[side]);
  const { name, selector } = fieldsOf(source.metric);
  // What has been measured is a number even if nothing has.
  const value = side === 'current' || kind === 'object' ? (amounts.value ?? '0') : amounts.value;
  const averageValue = amounts.averageValue ?? (needsAverage(kind, side) ? '0' : undefined);
  const shapes: Record<string, Record<string, Json | undefined>> = {
    resource: {
      name: source.name,
      [`${side}AverageUtilization`]: amounts.averageUtilization,
      [`${side}AverageValue`]: averageValue,
      container: source.container,
    },
    pods: { metricName: name, [`${side}AverageValue`]: averageValue, selector },
    object: {
      target: present({ ...ordered(fieldsOf(source.describedObject)) }),
      metricName: name,
      [`${side}Value`]: value,
      selector,
      averageValue: amounts.averageValue,
    },
    external: {
      metricName: name,
      metricSelector: selector,
      [`${side}Value`]: value,
      [`${side}AverageValue`]: amounts.averageValue,
    },
  };
  return { type: metric.type ?? '', [kind]: present(shapes[kind] ?? shapes.resource ?? {}) };
}

const ordered = ({ kind, name, apiVersion }: JsonObject) => ({ kind, name, apiVersion });
const needsAverage = (kind: string, side: MetricSide): boolean =>
  kind === 'pods' || (side === 'current' && (kind === 'resource' || kind === 'containerResource'));
const kindOf = ({ type }: JsonObject): string => `${String(type).slice(0, 1).toLowerCase()}${String(type).slice(1)}`;

/** A metric of autoscaling/v2, from what an annotation says. */
export function newerMetric(metric: JsonObject, side: MetricSide): JsonObject {
  const kind = kindOf(metric);
  const source = fieldsOf(metric[kind]);
  const isObject = kind === 'object';
  const averageValue = isObject ? source.averageValue : source[`${side}AverageValue`];
  const value =
    isObject && averageValue !== undefined && isZero(source[`${side}Value`]) ? null : source[`${side}Value`];
  const averageUtilization = source[`${side}AverageUtilization`];
  const amounts = present({
    type: side === 'target' ? targetType(kind, value, averageValue, averageUtilization) : undefined,
    value,
    averageValue,
    averageUtilization,
  });
  const named = kind === 'resource' || kind === 'containerResource';
  return {
    type: metric.type ?? '',
    [kind]: present({
      describedObject: isObject ? source.target : undefined,
      metric: named
        ? undefined
        : present({ name: source.metricName, selector: kind === 'external' ? source.metricSelector : source.selector }),
      name: source.name,
      container: source.container,
      [side]: amounts,
    }),
  };
}

const isZero = (quantity: Json | undefined): boolean => quantity === '0' || quantity === 0 || quantity === undefined;

function targetType(kind: string, value: Json | undefined, average?: Json, utilization?: Json): string {
  if (utilization !== undefined) return 'Utilization';
  if (kind === 'object') return average === undefined ? 'Value' : 'AverageValue';
  return kind === 'external' && value !== undefined ? 'Value' : 'AverageValue';
}

/** How fast an autoscaler may scale is kept by the names of the fields in Go. */
export const goBehavior = ({ scaleUp, scaleDown }: JsonObject): JsonObject => ({
  ScaleUp: goRules(scaleUp),
  ScaleDown: goRules(scaleDown),
});

function goRules(rules: Json | undefined): Json {
  if (rules === undefined || rules === null) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = fieldsOf(rules);
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies: listOf(policies).map(({ type = '', value = 0, periodSeconds = 0 }) => ({
      Type: type,
      Value: value,
      PeriodSeconds: periodSeconds,
    })),
    Tolerance: tolerance ?? null,
  };
}

/** The same back. */
export function fromGo(value: Json): Json {
  if (Array.isArray(value)) return value.map(fromGo);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    fields.map(([name, field]) => [`${name.slice(0, 1).toLowerCase()}${name.slice(1)}`, fromGo(field)]),
  );
}
