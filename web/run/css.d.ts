// Style sheets are bundled by their entry; the import has no value.
declare module "*.css";
