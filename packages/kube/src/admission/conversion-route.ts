import type { KubeObject } from '@flotilla/api-types';
import { KubeError } from '../errors/kube-error.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import type { Reply, Route } from '../process/serving/route.ts';
import { bodyOf, isRecord, jsonOf } from './review-body.ts';

/** What a conversion webhook is served with. */
export interface ConversionRouteOptions {
  readonly path: string;
  /** An object in another version of its kind: pure, and metadata but for labels and annotations stays. Throws where it cannot. */
  readonly convert: (object: KubeObject, apiVersion: string) => KubeObject;
  readonly log?: Logger;
  /** Larger questions are not read: a list is converted at once. Default 64 MiB. */
  readonly mostBytes?: number;
}

const versions = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];
const defaultMostBytes = 64 * 1024 * 1024;

/** A question, taken out of its ConversionReview. */
interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

/** Serves the conversion of custom resources between their versions. One object that cannot be converted fails the whole question. */
export function conversionRoute(options: ConversionRouteOptions): Route {
  const { path, log = silentLogger, mostBytes = defaultMostBytes } = options;
  return {
    path,
    method: 'POST',
    async handle({ message }): Promise<Reply> {
      const text = await bodyOf(message, mostBytes);
      if (text === undefined) return { status: 413, body: `the body has more than ${mostBytes} bytes\n` };
      const review = readReview(text);
      if (typeof review === 'string') return { status: 400, body: `${review}\n` };
      const { apiVersion, request } = review;
      const response = { uid: request.uid, ...converted(request, options.convert, log) };
      const body = JSON.stringify({ apiVersion, kind: 'ConversionReview', response });
      return { status: 200, contentType: 'application/json', body };
    },
  };
}

function converted(
  { objects, desiredAPIVersion }: ConversionRequest,
  convert: ConversionRouteOptions['convert'],
  log: Logger,
): object {
  try {
    const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion));
    return { convertedObjects, result: { status: 'Success' } };
  } catch (error) {
    log.warn('objects could not be converted', { desiredAPIVersion, err: error });
    return { convertedObjects: [], result: { status: 'Failure', message: KubeError.from(error).message } };
  }
}

/** Reads a ConversionReview; says in words what is wrong with it otherwise. */
function readReview(text: string): { apiVersion: string; request: ConversionRequest } | string {
  const json = jsonOf(text);
  if (typeof json === 'string') return json;
  const { value } = json;
  if (!isRecord(value) || value.kind !== 'ConversionReview' || !isRequest(value.request)) {
    return 'the body is not a ConversionReview with a request';
  }
  const { apiVersion, request } = value;
  if (typeof apiVersion !== 'string' || !versions.includes(apiVersion)) {
    return `the body is of ${JSON.stringify(apiVersion)}; send ${versions.join(' or ')}`;
  }
  return { apiVersion, request };
}

const isRequest = (value: unknown): value is ConversionRequest =>
  isRecord(value) &&
  typeof value.uid === 'string' &&
  typeof value.desiredAPIVersion === 'string' &&
  Array.isArray(value.objects) &&
  value.objects.every(isRecord);
