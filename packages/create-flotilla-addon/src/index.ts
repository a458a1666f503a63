/** Makes projects for add-ons. */
export { type CreatedProject, createProject, ProjectError } from './create-project.ts';
