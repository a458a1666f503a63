export const account = '123456789012';
export const region = 'us-west-2';
/** The hub's name in EKS. */
export const hubName = 'hub-cluster1';
export const arnOf = (name: string, where = region): string => `arn:aws:eks:${where}:${account}:cluster/${name}`;
export const hubArn = arnOf(hubName);

/** What programs need to find AWS here. */
export const awsEnv = (endpoint: string) => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: 'AKIDTEST',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: region,
});
