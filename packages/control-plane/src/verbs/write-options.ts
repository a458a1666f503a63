import type { KubeObject } from '@flotilla/schema';
import type { Call } from '../contracts/call.ts';
import { badRequest, type FieldCause, invalid } from '../errors/api-errors.ts';
import { managerName } from '../patch/index.ts';
import { isTrue } from '../requests/request-info.ts';

/** The options of a write that stand in the query. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly force: boolean;
}

const validations = ['Ignore', 'Strict', 'Warn'] as const;
const optionKinds: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
};

/** Reads and checks them; errors have the messages of the API server. */
export function writeOptions(call: Call, verb: 'create' | 'update' | 'patch', isApply = false): WriteOptions {
  const { query } = call;
  const causes: FieldCause[] = [];
  const dryRun = query.getAll('dryRun');
  for (const value of dryRun.filter((one) => one !== 'All')) {
    causes.push({
      reason: 'FieldValueNotSupported',
      field: 'dryRun',
      message: `Unsupported value: ${JSON.stringify([value])}: supported values: "All"`,
    });
  }
  const fieldManager = query.get('fieldManager') ?? '';
  if (isApply && fieldManager === '') {
    causes.push({
      reason: 'FieldValueRequired',
      field: 'fieldManager',
      message: 'Required value: is required for apply patch',
    });
  }
  if (fieldManager.length > 128) {
    causes.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      message: 'Too long: may not be more than 128 bytes',
    });
  }
  const validation = query.get('fieldValidation') || 'Warn';
  const fieldValidation = validations.find((one) => one === validation);
  if (!fieldValidation) {
    causes.push({
      reason: 'FieldValueNotSupported',
      field: 'fieldValidation',
      message: `Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`,
    });
  }
  const force = query.get('force');
  if (force !== null && verb === 'patch' && !isApply) {
    causes.push({
      reason: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    });
  }
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: optionKinds[verb] ?? '' }, '', causes);
  return {
    dryRun: dryRun.includes('All'),
    fieldManager: managerName(fieldManager, call.headers['user-agent']),
    fieldValidation: fieldValidation ?? 'Warn',
    force: isTrue(force),
  };
}

/** A namespace in the body must be that of the path; none in the body takes it from there. */
export function checkNamespace({ info, namespace }: Call, given: string | undefined): void {
  if (!info.namespaced || given === undefined || given === '' || given === namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** The name in the body must be that of the path. */
export function checkName({ name = '' }: Call, { metadata }: KubeObject): void {
  // An applied configuration may have anything in its place.
  const given: unknown = metadata?.name;
  if (typeof given !== 'string' || given === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}
