export { addonManagerRules } from './addon-manager-role.ts';
export { type AddonManager, type AddonManagerInput, createAddonManager } from './create-addon-manager.ts';
