import { type ManifestConditionRule, WorkManifestCondition } from '@flotilla/api-types';
import { type Manifest, splitApiVersion } from '../manifest.ts';

type CelRule = Pick<ManifestConditionRule, 'condition' | 'celExpressions' | 'messageExpression'>;

const jobComplete: CelRule = {
  condition: WorkManifestCondition.Complete,
  celExpressions: [
    'hasConditions(object.status) && ' +
      'object.status.conditions.exists(c, c.type in ["Complete", "Failed"] && c.status == "True")',
  ],
  messageExpression: 'result ? "Job is finished" : "Job is not finished"',
};

const podComplete: CelRule = {
  condition: WorkManifestCondition.Complete,
  celExpressions: ['object.status.phase in ["Succeeded", "Failed"]'],
  messageExpression: '"Pod is in phase " + object.status.phase',
};

/** The rule behind a well-known condition of an object's kind, with the messages of the rule that names it; undefined if there is none. */
export function wellKnownRule(rule: ManifestConditionRule, object: Manifest): ManifestConditionRule | undefined {
  if (rule.condition !== WorkManifestCondition.Complete) return undefined;
  const { group, version } = splitApiVersion(object.apiVersion);
  const kind = `${group}/${version} ${object.kind}`;
  const known = kind === 'batch/v1 Job' ? jobComplete : kind === '/v1 Pod' ? podComplete : undefined;
  if (!known) return undefined;
  return {
    ...known,
    type: 'CEL',
    ...(rule.message && { message: rule.message }),
    ...(rule.messageExpression && { messageExpression: rule.messageExpression }),
  };
}
