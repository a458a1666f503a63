import {
  CreateRoleCommand,
  DeleteRoleCommand,
  GetRoleCommand,
  type IAMClient,
  TagRoleCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { AwsCallError, callAws, hasName } from '../aws-error.ts';
import { iamTags, missingTags } from '../resource-tags.ts';
import { holdsPolicy } from '../trust-policy.ts';
import type { ClusterRole } from './cluster-role.ts';

/** Creates the role, or corrects the trust policy and the tags of the one that is there. */
export async function ensureRole(iam: IAMClient, role: ClusterRole, signal: AbortSignal): Promise<void> {
  const { roleName: RoleName, roleArn, trustPolicy, tags } = role;
  const options = { abortSignal: signal };
  const AssumeRolePolicyDocument = JSON.stringify(trustPolicy);
  const create = new CreateRoleCommand({
    RoleName,
    AssumeRolePolicyDocument,
    ...(Object.keys(tags).length > 0 && { Tags: iamTags(tags) }),
  });
  try {
    await iam.send(create, options);
    return;
  } catch (error) {
    if (!hasName(error, 'EntityAlreadyExists', 'EntityAlreadyExistsException')) {
      throw new AwsCallError('iam:CreateRole', roleArn, error);
    }
  }
  const { Role } = await callAws('iam:GetRole', roleArn, () => iam.send(new GetRoleCommand({ RoleName }), options));
  if (!holdsPolicy(Role?.AssumeRolePolicyDocument, trustPolicy)) {
    const update = new UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument: AssumeRolePolicyDocument });
    await callAws('iam:UpdateAssumeRolePolicy', roleArn, () => iam.send(update, options));
  }
  const present = Object.fromEntries((Role?.Tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? '']));
  const missing = missingTags(tags, present);
  if (missing) {
    const tag = new TagRoleCommand({ RoleName, Tags: iamTags(missing) });
    await callAws('iam:TagRole', roleArn, () => iam.send(tag, options));
  }
}

/** Deletes the role. One that is gone is as good. */
export async function deleteRole(iam: IAMClient, role: ClusterRole, signal: AbortSignal): Promise<void> {
  try {
    await iam.send(new DeleteRoleCommand({ RoleName: role.roleName }), { abortSignal: signal });
  } catch (error) {
    if (hasName(error, 'NoSuchEntity', 'NoSuchEntityException')) return;
    throw new AwsCallError('iam:DeleteRole', role.roleArn, error);
  }
}
