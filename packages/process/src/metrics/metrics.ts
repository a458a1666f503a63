import { type Clock, realClock } from '@flotilla/kube';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Values for all labels of a metric. */
export type Labels<L extends string> = Readonly<Record<L, string>>;

/** What a metric is called and which labels its series have. */
export interface MetricDefinition<L extends string> {
  name: string;
  help: string;
  labels: readonly L[];
}

/** Counts what happened. */
export interface CounterMetric<L extends string> {
  add(labels: Labels<L>, by?: number): void;
  forget(match: Partial<Labels<L>>): void;
}

/** Shows what is. */
export interface GaugeMetric<L extends string> {
  set(labels: Labels<L>, value: number): void;
  forget(match: Partial<Labels<L>>): void;
}

/** Sorts what was measured into buckets. */
export interface HistogramMetric<L extends string> {
  observe(labels: Labels<L>, value: number): void;
  forget(match: Partial<Labels<L>>): void;
}

/** How metrics are collected. */
export interface MetricsOptions {
  clock?: Clock;
  /** Begins the names of metrics that have no name from client-go or controller-runtime. Default: `process`. */
  prefix?: string;
  /** CPU, memory, event loop and garbage collection of this process. Default: true. */
  processMetrics?: boolean;
}

/** For things that take from a millisecond to a minute: requests, waits, reconciles. */
export const secondsBuckets: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/**
 * The metrics of one process, in a registry of its own. Series are remembered by their labels, so that those about
 * something that is gone (a cluster, an informer) can be dropped again with `forget`.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly prefix: string;
  readonly #clock: Clock;
  readonly #families: { forget(match: Labels<string>): void }[] = [];
  /** Whether the first scrape still has to begin with those of the process. */
  #processMetricsDue: boolean;

  constructor({ clock = realClock, prefix = 'process', processMetrics = true }: MetricsOptions = {}) {
    this.prefix = prefix;
    this.#clock = clock;
    this.#processMetricsDue = processMetrics;
  }

  counter<L extends string>(definition: MetricDefinition<L>): CounterMetric<L> {
    const counter = new Counter({ ...this.#configuration(definition), labelNames: definition.labels });
    const family = this.#family(definition, counter);
    return {
      add(labels, by = 1) {
        family.track(labels);
        counter.inc(labels, by);
      },
      forget: (match) => family.forget(match),
    };
  }

  gauge<L extends string>(definition: MetricDefinition<L>): GaugeMetric<L> {
    const gauge = new Gauge({ ...this.#configuration(definition), labelNames: definition.labels });
    const family = this.#family(definition, gauge);
    return {
      set(labels, value) {
        family.track(labels);
        gauge.set(labels, value);
      },
      forget: (match) => family.forget(match),
    };
  }

  /** A gauge that is set to a time (seconds since the epoch) and shows what `show` makes of it at each scrape. */
  timeGauge<L extends string>(
    definition: MetricDefinition<L>,
    show: (epochSeconds: number, nowSeconds: number) => number,
  ): GaugeMetric<L> {
    const clock = this.#clock;
    const times = new Map<Labels<L>, number>();
    const gauge = new Gauge({
      ...this.#configuration(definition),
      labelNames: definition.labels,
      collect() {
        for (const [labels, time] of times) this.set(labels, show(time, clock.now() / 1000));
      },
    });
    const family = this.#family(definition, {
      remove(labels) {
        times.delete(labels);
        gauge.remove(labels);
      },
    });
    return {
      set: (labels, epochSeconds) => void times.set(family.track(labels), epochSeconds),
      forget: (match) => family.forget(match),
    };
  }

  /** A gauge that is computed at each scrape. Series that are not given again are gone. */
  computedGauge<L extends string>(
    definition: MetricDefinition<L>,
    compute: () => Iterable<readonly [Labels<L>, number]>,
  ): void {
    new Gauge({
      ...this.#configuration(definition),
      labelNames: definition.labels,
      collect() {
        this.reset();
        for (const [labels, value] of compute()) this.set(labels, value);
      },
    });
  }

  histogram<L extends string>(definition: MetricDefinition<L> & { buckets?: readonly number[] }): HistogramMetric<L> {
    const { buckets = secondsBuckets } = definition;
    const histogram = new Histogram({
      ...this.#configuration(definition),
      labelNames: definition.labels,
      buckets: [...buckets],
    });
    const family = this.#family(definition, histogram);
    return {
      observe(labels, value) {
        family.track(labels);
        histogram.observe(labels, value);
      },
      forget: (match) => family.forget(match),
    };
  }

  /** Drops, from all metrics, every series that carries all of these labels, for example `{ cluster: 'edge-1' }`. */
  forget(match: Labels<string>): void {
    for (const family of this.#families) family.forget(match);
  }

  /** The text of `/metrics`. */
  async render(): Promise<{ contentType: string; body: string }> {
    if (this.#processMetricsDue) collectProcessMetrics(this.registry);
    this.#processMetricsDue = false;
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }

  #configuration({ name, help }: { name: string; help: string }) {
    return { name, help, registers: [this.registry] };
  }

  #family<L extends string>({ labels }: MetricDefinition<L>, metric: Removable<L>): Family<L> {
    const family = new Family(labels, metric);
    this.#families.push(family);
    return family;
  }
}

/**
 * Begins with the first scrape: the delay of the event loop is sampled by a timer, and most wake-ups of an idle process that nobody
 * scrapes would be its own. CPU is counted from the start of the process all the same.
 */
function collectProcessMetrics(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  // The library's 10 ms would cost an idle process 1 % of a core.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const before = { user, system, '': user + system };
  for (const [kind, micros] of Object.entries(before)) {
    const counter = registry.getSingleMetric(`process_cpu_${kind && `${kind}_`}seconds_total`);
    if (counter instanceof Counter) counter.inc(micros / 1e6);
  }
}

interface Removable<L extends string> {
  remove(labels: Labels<L>): void;
}

/** The series of one metric that exist, because the library can drop one only by all of its labels. */
class Family<L extends string> {
  readonly #labelNames: readonly L[];
  readonly #metric: Removable<L>;
  readonly #series = new Map<string, Labels<L>>();

  constructor(labelNames: readonly L[], metric: Removable<L>) {
    this.#labelNames = labelNames;
    this.#metric = metric;
  }

  /** Records a series and returns the labels it was first recorded with. */
  track(labels: Labels<L>): Labels<L> {
    const id = this.#labelNames.map((name) => labels[name]).join('\u0000');
    const known = this.#series.get(id);
    if (known) return known;
    const copy = { ...labels };
    this.#series.set(id, copy);
    return copy;
  }

  /** `match`: some labels with their values. */
  forget(match: object): void {
    const wanted = Object.entries(match);
    // Nothing named means a mistake by the caller and not "all".
    if (wanted.length === 0) return;
    for (const [id, labels] of this.#series) {
      if (!wanted.every(([name, value]) => Reflect.get(labels, name) === value)) continue;
      this.#series.delete(id);
      this.#metric.remove(labels);
    }
  }
}
