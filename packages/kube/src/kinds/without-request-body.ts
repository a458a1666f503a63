import type { CertificateSigningRequest } from './built-in-types.ts';

/** Longer values are dropped. Names of users are what their authenticator makes them; most are far shorter. */
const maxValueLength = 512;
/** What the API server accepts. */
const maxSignerNameLength = 571;

/** The labels and annotations to keep of a request. */
export interface KeptOfRequest {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

/** Those of the given keys that are set, and short. */
const shortValues = (
  values: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = values?.[key];
      return value !== undefined && value.length <= maxValueLength ? [[key, value]] : [];
    }),
  );

/**
 * A transform for caches of CertificateSigningRequests that keeps who asks whom for what, and how far it got. Users who may create requests
 * may create many of a megabyte; whoever acts on one reads it. Caches share a watch if they are given the same transform, so make it once.
 */
export const withoutRequestBody =
  ({ labels, annotations }: KeptOfRequest) =>
  ({ metadata, spec, status }: CertificateSigningRequest): CertificateSigningRequest => {
    const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata ?? {};
    const conditions = status?.conditions?.map((condition) => ({
      type: condition.type,
      status: condition.status,
      ...(condition.lastUpdateTime && { lastUpdateTime: condition.lastUpdateTime.slice(0, maxValueLength) }),
    }));
    return {
      metadata: {
        name,
        uid,
        resourceVersion,
        creationTimestamp,
        ...(deletionTimestamp && { deletionTimestamp }),
        labels: shortValues(metadata?.labels, labels),
        annotations: shortValues(metadata?.annotations, annotations),
      },
      spec: {
        request: '',
        signerName: spec.signerName.slice(0, maxSignerNameLength),
        ...(spec.username !== undefined && { username: spec.username.slice(0, maxValueLength) }),
      },
      ...(status && {
        status: {
          ...(conditions && { conditions }),
          ...(status.certificate && { certificate: 'issued' }),
        },
      }),
    };
  };
