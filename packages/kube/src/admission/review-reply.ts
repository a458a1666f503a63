/** The HTTP reply to a review of the API server. */
export interface ReviewReply {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

/** The reply to a body that is not a review; the API server shows it to the user. */
export const badReview = (why: string): ReviewReply => ({ status: 400, body: `${why}\n` });
