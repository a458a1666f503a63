import { isRecord } from '@flotilla/schema';
import type { Call } from '../contracts/call.ts';
import { badRequest, type FieldCause, invalid } from '../errors/api-errors.ts';
import { decodeProtobufDeleteOptions } from '../protobuf/decode-body.ts';
import { parseBody, refuseSyntax, typesOf } from './body.ts';
import { positive } from './list.ts';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** As admission webhooks see it. */
  readonly object: object;
}

const policies = ['Background', 'Foreground', 'Orphan'] as const;

/** From the body, or where that is empty from the query. */
export function deleteOptions(call: Call): DeleteOptions {
  const value = call.body.length > 0 ? fromBody(call) : fromQuery(call.query);
  const { apiVersion, kind } = typesOf(value, unreadable);
  const given = isRecord(value) ? value : {};
  if (kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, dryRun, preconditions } = given;
  const causes: FieldCause[] = [];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    causes.push({
      reason: 'FieldValueInvalid',
      field: 'propagationPolicy',
      message: `Invalid value: ${JSON.stringify(propagationPolicy)}: orphanDependents and deletionPropagation cannot be both set`,
    });
  }
  const propagation = policies.find((policy) => policy === propagationPolicy);
  if (propagationPolicy !== undefined && !propagation) {
    causes.push({
      reason: 'FieldValueNotSupported',
      field: 'propagationPolicy',
      message: `Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    });
  }
  const dryRuns = Array.isArray(dryRun) ? dryRun : [];
  if (dryRuns.some((value) => value !== 'All')) {
    causes.push({
      reason: 'FieldValueNotSupported',
      field: 'dryRun',
      message: `Unsupported value: ${JSON.stringify(dryRuns)}: supported values: "All"`,
    });
  }
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes);
  const orphan = orphanDependents === true ? 'Orphan' : orphanDependents === false ? 'Background' : undefined;
  const policy = propagation ?? orphan;
  return {
    dryRun: dryRuns.includes('All'),
    object: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...given },
    ...((typeof gracePeriodSeconds === 'number' || typeof gracePeriodSeconds === 'bigint') && {
      gracePeriodSeconds: Number(gracePeriodSeconds),
    }),
    ...(policy && { propagation: policy }),
    ...(isRecord(preconditions) && { preconditions: preconditionsOf(preconditions) }),
  };
}

const unreadable = (message: string) => badRequest(`couldn't get version/kind; json parse error: ${message}`);

const fromBody = (call: Call): unknown =>
  refuseSyntax(() => parseBody(call, decodeProtobufDeleteOptions).value, unreadable);

const preconditionsOf = ({ uid, resourceVersion }: Record<string, unknown>) => ({
  ...(typeof uid === 'string' && { uid }),
  ...(typeof resourceVersion === 'string' && { resourceVersion }),
});

function fromQuery(query: URLSearchParams): Record<string, unknown> {
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  return {
    ...(query.has('dryRun') && { dryRun: query.getAll('dryRun') }),
    ...(grace !== null && { gracePeriodSeconds: positive(grace) }),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(orphan !== null && { orphanDependents: orphan === 'true' }),
  };
}
