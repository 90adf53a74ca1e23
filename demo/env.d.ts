declare module '*?url' {
  const url: string;
  export default url;
}
declare module '*.css';

interface ImportMetaEnv {
  DEV: boolean;
  PROD: boolean;
}
interface ImportMeta {
  readonly env: ImportMetaEnv;
}
