import type { Deployment } from '@flotilla/kube/kinds';
import type { Condition } from '@flotilla/schema';

/** What is known of an operator. */
export interface OperatorInfo {
  readonly image: string;
  readonly available: number;
  readonly desired: number;
}

/** The image of an operator and how many of its pods are available; null if there is none. */
export const operatorInfo = (deployment: Deployment | undefined): OperatorInfo | null =>
  deployment
    ? {
        image: deployment.spec?.template.spec?.containers[0]?.image ?? '',
        available: deployment.status?.availableReplicas ?? 0,
        desired: deployment.spec?.replicas ?? 1,
      }
    : null;

/** Lines about it, and about the conditions of what it reconciles. */
export const operatorLines = (operator: OperatorInfo | null, conditions: readonly Condition[]): string[] => [
  operator ? `Operator: ${operator.image} (${operator.available}/${operator.desired})\n` : 'Operator: none\n',
  ...conditionLines(conditions),
];

/** A line for each condition. */
export const conditionLines = (conditions: readonly Condition[]): string[] =>
  conditions.map(({ type, status, reason, message }) => `  ${type}=${status} (${reason}): ${message}\n`);
