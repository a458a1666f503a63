import { Signer } from '@flotilla/api-types';
import { certificateRules } from '@flotilla/registration-core/certificates';

/** The signer of the hub's API server. */
export const signerName = Signer.KubeApiServerClient;

/** What registration by its certificates needs on the hub. */
export const rules = certificateRules(signerName);
