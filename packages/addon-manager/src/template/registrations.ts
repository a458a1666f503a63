import { customSigner, kubeClient, type RegistrationDeclaration, type SignRequest } from '@flotilla/addon-sdk';
import { type AddOnTemplateRegistration, ServiceAccountName } from '@flotilla/api-types';
import { templatePermissions } from './permissions.ts';

/** The Secret with the authority of a signer. */
export interface SigningCa {
  readonly namespace?: string;
  readonly name: string;
}

/** One template on one cluster. */
export interface RegistrationsInput {
  readonly addonName: string;
  readonly registrations: readonly AddOnTemplateRegistration[];
  /** Signs with the authority in a Secret. */
  readonly signWith: (ca: SigningCa) => SignRequest;
}

/** The credentials that a template registers for. */
export const templateRegistrations = (input: RegistrationsInput): RegistrationDeclaration[] =>
  input.registrations.flatMap((registration): RegistrationDeclaration[] => {
    const { addonName, signWith } = input;
    if (registration.type === 'KubeClient') {
      const permissions = registration.kubeClient?.hubPermissions ?? [];
      return [
        kubeClient({
          agentName: ServiceAccountName.AddOnAgent.of({ addOn: addonName }),
          permissions: (builder) => templatePermissions(permissions, builder),
        }),
      ];
    }
    if (!registration.customSigner) return [];
    const { signerName, subject, signingCA } = registration.customSigner;
    return [
      customSigner({
        signerName,
        ...(subject && { subject: subjectOf(subject) }),
        sign: signWith(signingCA),
      }),
    ];
  });

type TemplateSubject = NonNullable<NonNullable<AddOnTemplateRegistration['customSigner']>['subject']>;

const subjectOf = ({ user, groups, organizationUnit }: TemplateSubject) => ({
  ...(user && { user }),
  ...(groups && { groups }),
  ...(organizationUnit && { organizationUnits: organizationUnit }),
});
