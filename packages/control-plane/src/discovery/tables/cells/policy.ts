import type { APIService, ResourceQuota } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { type Cell, nameOf, type RowPrinter, row } from '../cell.ts';

interface FlowSchema extends KubeObject {
  readonly spec?: {
    readonly priorityLevelConfiguration?: { readonly name?: string };
    readonly matchingPrecedence?: number;
    readonly distinguisherMethod?: { readonly type: string };
  };
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] };
}

interface PriorityLevel extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly limited?: {
      readonly nominalConcurrencyShares?: number;
      readonly limitResponse?: {
        readonly queuing?: { readonly queues?: number; readonly handSize?: number; readonly queueLengthLimit?: number };
      };
    };
  };
}

interface RuntimeClass extends KubeObject {
  readonly handler?: string;
}

export const resourceQuotaRow: RowPrinter = row<ResourceQuota>(({ status }) => {
  const used = (limits: boolean): string =>
    Object.keys(status?.hard ?? {})
      .filter((name) => name.startsWith('limits.') === limits)
      .sort()
      .map((name) => `${name}: ${status?.used?.[name] ?? '0'}/${status?.hard?.[name]}`)
      .join(', ');
  return [used(false), used(true)];
});

export const apiServiceRow: RowPrinter = row<APIService>(({ spec, status }) => {
  const { service } = spec ?? {};
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  const why = available?.status !== 'True' && available?.reason ? ` (${available.reason})` : '';
  return [
    service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
    `${available?.status ?? 'Unknown'}${why}`,
  ];
});

export const runtimeClassRow: RowPrinter = row<RuntimeClass>(({ handler }) => [handler ?? '']);

/** The age stands before the last column here. */
export const flowSchemaRow: RowPrinter = (object, ages) => {
  const { spec, status, metadata } = object as FlowSchema;
  return [
    nameOf(object),
    spec?.priorityLevelConfiguration?.name ?? '',
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? '<none>',
    ages.since(metadata?.creationTimestamp),
    status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  ];
};

export const priorityLevelRow: RowPrinter = row<PriorityLevel>(({ spec }) => {
  const { nominalConcurrencyShares, limitResponse } = spec?.limited ?? {};
  const { queues, handSize, queueLengthLimit } = limitResponse?.queuing ?? {};
  const shown = [nominalConcurrencyShares, queues, handSize, queueLengthLimit].map((cell): Cell => cell ?? '<none>');
  return [spec?.type ?? '', ...shown];
});
