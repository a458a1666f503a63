/** Why AWS did not do what was asked: the reasons that conditions show. */
export type AwsErrorReason =
  | 'AccessDenied'
  | 'CredentialsMissing'
  | 'Throttled'
  | 'NotVisibleYet'
  | 'PrincipalMissing'
  | 'HubNotFound'
  | 'ChangedMeanwhile'
  | 'Unavailable'
  | 'Refused';

/** An answer of AWS that is not a success, in words for a condition. */
export interface AwsErrorExplanation {
  readonly reason: AwsErrorReason;
  readonly message: string;
}

/** An IAM or EKS action, as policies name it. */
export type AwsAction =
  | 'sts:AssumeRole'
  | 'iam:CreateRole'
  | 'iam:GetRole'
  | 'iam:UpdateAssumeRolePolicy'
  | 'iam:TagRole'
  | 'iam:DeleteRole'
  | 'eks:CreateAccessEntry'
  | 'eks:DescribeAccessEntry'
  | 'eks:UpdateAccessEntry'
  | 'eks:TagResource'
  | 'eks:DeleteAccessEntry';

/** An error of one call. */
export class AwsCallError extends Error {
  readonly explanation: AwsErrorExplanation;

  constructor(action: AwsAction, resource: string, cause: unknown) {
    const explanation = explainAwsError(action, resource, cause);
    super(explanation.message, { cause });
    this.name = 'AwsCallError';
    this.explanation = explanation;
  }
}

/** Calls AWS; an error says which action failed on which resource. */
export async function callAws<T>(action: AwsAction, resource: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw new AwsCallError(action, resource, error);
  }
}

/** Whether an error of the SDK has one of these names. */
export const hasName = (error: unknown, ...names: string[]): boolean =>
  error instanceof Error && names.includes(error.name);

/** Says what failed, why, and what to do about it. */
export function explainAwsError(action: AwsAction, resource: string, error: unknown): AwsErrorExplanation {
  const reason = reasonOf(error, action);
  return {
    reason,
    message: `${action} on ${resource} failed: ${error instanceof Error ? `${error.name}: ${error.message}` : error}. ${advice(reason, action, resource)}`,
  };
}

function advice(reason: AwsErrorReason, action: AwsAction, resource: string): string {
  switch (reason) {
    case 'AccessDenied':
      return `Allow ${action} on ${resource} in the IAM policy of the role that this process has.`;
    case 'CredentialsMissing':
      return 'Annotate the service account with eks.amazonaws.com/role-arn, or associate it with a role by EKS Pod Identity.';
    case 'NotVisibleYet':
      return 'A new role takes some seconds to be visible to EKS; the call is repeated.';
    case 'PrincipalMissing':
      return 'The trust policy names the role ocm-managed-cluster-… of the agent, and IAM finds none: create it in the account of the managed cluster, with its four tags.';
    case 'HubNotFound':
      return 'EKS has no such cluster in this account and region: correct --hub-cluster-arn of the hub.';
    case 'ChangedMeanwhile':
      return 'Another client of AWS deleted it at the same time; the call is repeated.';
    case 'Throttled':
    case 'Unavailable':
    case 'Refused':
      return 'The call is repeated with increasing delay.';
  }
}

const denied = ['AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation'];
const throttled = [
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
  'RequestLimitExceeded',
];
const credentials = [
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
  'InvalidIdentityToken',
];
const network = ['TimeoutError', 'NetworkingError', 'AbortError'];

const malformedPolicy = ['MalformedPolicyDocument', 'MalformedPolicyDocumentException'];
const absent = ['NoSuchEntity', 'NoSuchEntityException', 'ResourceNotFoundException'];

function reasonOf(error: unknown, action: AwsAction): AwsErrorReason {
  if (!(error instanceof Error)) return 'Refused';
  const status = statusOf(error);
  if (denied.includes(error.name)) return 'AccessDenied';
  if (credentials.includes(error.name)) return 'CredentialsMissing';
  if (throttled.includes(error.name) || status === 429) return 'Throttled';
  if (error.name === 'InvalidParameterException') return 'NotVisibleYet';
  if (malformedPolicy.includes(error.name)) return 'PrincipalMissing';
  if (absent.includes(error.name)) return action === 'eks:CreateAccessEntry' ? 'HubNotFound' : 'ChangedMeanwhile';
  if (network.includes(error.name) || 'syscall' in error || (status !== undefined && status >= 500))
    return 'Unavailable';
  return 'Refused';
}

/** The HTTP status that the SDK keeps with its errors. */
function statusOf(error: Error): number | undefined {
  if (!('$metadata' in error) || typeof error.$metadata !== 'object' || error.$metadata === null) return undefined;
  const { $metadata: metadata } = error;
  return 'httpStatusCode' in metadata && typeof metadata.httpStatusCode === 'number'
    ? metadata.httpStatusCode
    : undefined;
}
