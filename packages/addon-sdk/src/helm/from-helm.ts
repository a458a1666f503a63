import { fileURLToPath } from 'node:url';
import { isRecord } from '@flotilla/schema';
import { parseAllDocuments } from 'yaml';
import type { RenderContext } from '../definition/context.ts';
import type { Manifest } from '../definition/manifest.ts';
import { type HelmEngine, helmProgram } from './helm-engine.ts';
import { inInstallOrder } from './install-order.ts';
import { mergeValues, normalizeValues, type Values } from './merge-values.ts';

/** How a chart is rendered. */
export interface FromHelmOptions {
  /** Later ones win over earlier ones, and all win over the chart's own. */
  readonly values?: Values | readonly Values[];
  /** Default: the `helm` program. */
  readonly engine?: HelmEngine;
}

/**
 * The objects of a Helm chart, in install order. Values are, the later the stronger: those of the chart, names of Secrets, `values`, and
 * `clusterName`, `addonInstallNamespace` and `installMode` of the cluster. Hooks of Helm are not rendered: use `hook.preDelete`.
 */
export async function fromHelm(
  chart: string | URL,
  context: RenderContext,
  { values = [], engine = helmProgram() }: FromHelmOptions = {},
): Promise<Manifest[]> {
  const layers: readonly Values[] = isList(values) ? values : [values];
  const kubeVersion = context.cluster.status?.version?.kubernetes;
  const text = await engine.template({
    chart: typeof chart === 'string' ? chart : fileURLToPath(chart),
    name: context.addonName,
    namespace: context.installNamespace,
    values: mergeValues(
      {
        hubKubeConfigSecret: context.secrets.hubKubeconfig,
        managedKubeConfigSecret: context.secrets.managedKubeconfig,
      },
      ...layers.map(normalizeValues),
      {
        clusterName: context.clusterName,
        addonInstallNamespace: context.installNamespace,
        installMode: context.mode,
      },
    ),
    ...(kubeVersion && { kubeVersion }),
    signal: context.signal,
  });
  const objects = parseAllDocuments(text).flatMap((document): Manifest[] => {
    const [error] = document.errors;
    if (error) throw new TypeError(`chart ${String(chart)} gives YAML that cannot be read: ${error.message.trim()}`);
    const object: unknown = document.toJS();
    return isRecord(object) && object.kind ? [object] : [];
  });
  return inInstallOrder(objects);
}

const isList = (values: Values | readonly Values[]): values is readonly Values[] => Array.isArray(values);
