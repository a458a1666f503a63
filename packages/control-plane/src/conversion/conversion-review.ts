import { KubeError } from '@flotilla/kube';
import { isRecord, type KubeObject } from '@flotilla/schema';

const group = 'apiextensions.k8s.io';
const known = ['v1', 'v1beta1'];

/** A request to a conversion webhook, and what its response is checked against. */
export interface ConversionQuestion {
  readonly uid: string;
  /** The version of ConversionReview. */
  readonly reviewVersion: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

/** The version of ConversionReview to send: the first of the webhook's list that the server supports. */
export function reviewVersionOf(versions: readonly string[]): string {
  const version = versions.find((one) => known.includes(one));
  if (version === undefined) throw new KubeError('Config', 'no supported conversion review versions');
  return version;
}

/** The ConversionReview that is sent. */
export const conversionReview = ({ uid, reviewVersion, desiredAPIVersion, objects }: ConversionQuestion): object => ({
  kind: 'ConversionReview',
  apiVersion: `${group}/${reviewVersion}`,
  request: { uid, desiredAPIVersion, objects },
});

/** The converted objects of an answer, in the order of the question. Throws an error that says what is wrong with the answer. */
export function convertedObjects(question: ConversionQuestion, answer: unknown): KubeObject[] {
  const { response } = recordOf(answer);
  if (question.reviewVersion === 'v1') checkEnvelope(question, recordOf(answer));
  if (!isRecord(response)) throw wrong('no response provided');
  if (question.reviewVersion === 'v1' && response.uid !== question.uid) {
    throw wrong(`expected response.uid=${JSON.stringify(question.uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  }
  const { status, message } = recordOf(response.result);
  if (status !== 'Success') {
    const reported = typeof message === 'string' && message !== '' ? message : undefined;
    throw wrong(reported ?? `response.result.status was '${textOf(status)}', not 'Success'`);
  }
  const converted = Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
  if (converted.length !== question.objects.length) {
    throw wrong(`returned ${converted.length} objects, expected ${question.objects.length}`);
  }
  return question.objects.map((original, at) => restored(original, converted[at], question.desiredAPIVersion));
}

function checkEnvelope({ reviewVersion }: ConversionQuestion, { apiVersion, kind }: Record<string, unknown>): void {
  if (apiVersion === `${group}/${reviewVersion}` && kind === 'ConversionReview') return;
  const got = `${textOf(apiVersion)}, Kind=${textOf(kind)}`;
  throw wrong(`expected webhook response of ${group}/${reviewVersion}, Kind=ConversionReview, got ${got}`);
}

/** A webhook may change labels and annotations; all other metadata is the original's. */
function restored(original: KubeObject, value: unknown, apiVersion: string): KubeObject {
  const invalid = (why: string) => wrong(`returned invalid object: ${why}`);
  if (!isRecord(value)) throw invalid('it is not an object');
  if (value.apiVersion !== apiVersion) {
    throw invalid(`invalid groupVersion (expected ${apiVersion}, received ${textOf(value.apiVersion)})`);
  }
  if (value.kind !== original.kind) {
    throw invalid(`invalid kind (expected ${original.kind}, received ${textOf(value.kind)})`);
  }
  if (!isRecord(value.metadata)) throw invalid('missing metadata in converted object');
  const { metadata } = value;
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const [before, after] = [original.metadata?.[field] ?? '', metadata[field] ?? ''];
    const called = field === 'uid' ? 'UID' : field;
    if (before !== after) throw invalid(`must have the same ${called}: ${before} != ${textOf(after)}`);
  }
  const { labels: _, annotations: __, ...kept } = original.metadata ?? {};
  return {
    ...value,
    apiVersion,
    kind: original.kind,
    metadata: { ...kept, ...textsOf(metadata, 'labels', invalid), ...textsOf(metadata, 'annotations', invalid) },
  };
}

function textsOf(
  metadata: Record<string, unknown>,
  field: 'labels' | 'annotations',
  invalid: (why: string) => Error,
): Record<string, Record<string, string>> {
  const value = metadata[field];
  if (value === undefined || value === null) return {};
  if (!isTextMap(value)) throw invalid(`metadata.${field} is not a map of strings`);
  return Object.keys(value).length === 0 ? {} : { [field]: value };
}

const wrong = (why: string): KubeError => new KubeError('Decode', why);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
const isTextMap = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
