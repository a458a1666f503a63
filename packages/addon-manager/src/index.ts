// For the client of a hub that serves add-ons in an older version.
export { withServedVersions } from '@flotilla/addon-sdk';
export { addonManagerRules } from './addon-manager-role.ts';
export { type AddonManager, type AddonManagerInput, createAddonManager } from './create-addon-manager.ts';
