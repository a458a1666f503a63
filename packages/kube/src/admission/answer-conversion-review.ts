import type { KubeObject } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { jsonOf } from './review-body.ts';
import { badReview, type ReviewReply } from './review-reply.ts';

/** How a review is answered. */
export interface ConversionReviewOptions {
  /** An object in another version of its kind: pure, and metadata but for labels and annotations stays. Throws where it cannot. */
  readonly convert: (object: KubeObject, apiVersion: string) => KubeObject;
  readonly log?: Logger;
}

const versions = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

/** A question, taken out of its ConversionReview. */
interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

/** The reply to a ConversionReview. One object that cannot be converted fails the whole review. */
export function answerConversionReview(
  body: string,
  { convert, log = silentLogger }: ConversionReviewOptions,
): ReviewReply {
  const review = readReview(body);
  if (typeof review === 'string') return badReview(review);
  const { apiVersion, request } = review;
  const response = { uid: request.uid, ...converted(request, convert, log) };
  const text = JSON.stringify({ apiVersion, kind: 'ConversionReview', response });
  return { status: 200, contentType: 'application/json', body: text };
}

function converted(
  { objects, desiredAPIVersion }: ConversionRequest,
  convert: ConversionReviewOptions['convert'],
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
