import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { STSClient } from '@aws-sdk/client-sts';

/**
 * AWS answers within a second or two. The SDK tries again at once for what is over in a moment; waiting longer is left to a queue,
 * where it delays no other cluster and a condition says why.
 */
const limits = { maxAttempts: 3, requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000 } };

/**
 * Clients of AWS, with the credentials that the SDK finds by itself: environment, web identity of a service account (IRSA), EKS Pod
 * Identity, shared configuration files, instance metadata. `AWS_ENDPOINT_URL_<SERVICE>` leads them elsewhere.
 */
export const createStsClient = (region: string): STSClient => new STSClient({ ...limits, region });
export const createIamClient = (region: string): IAMClient => new IAMClient({ ...limits, region });
export const createEksClient = (region: string): EKSClient => new EKSClient({ ...limits, region });
