/** One cause of a failure, as the API server reports it: for `Invalid`, one wrong field. */
export interface StatusCause {
  reason?: string;
  message?: string;
  /** Path of the field, for example `spec.leaseDurationSeconds`. */
  field?: string;
}

/** What a failure is about. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** metav1.Status: the body of a refused request and of an ERROR event of a watch. */
export interface ApiStatus {
  apiVersion?: string;
  kind?: string;
  status?: string;
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** True for a decoded body or event object that is a metav1.Status. */
export const isApiStatus = (value: unknown): value is ApiStatus =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
