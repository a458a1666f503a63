import { KubeError } from './kube-error.ts';

/**
 * True for a 404 about an object. A 404 about a resource or subresource that the server does not serve is none:
 * taking a missing CRD for deleted objects would make controllers clean up after them.
 */
export const isAbsence = (error: unknown): error is KubeError =>
  KubeError.is(error, 'NotFound') && error.details?.name !== undefined;
