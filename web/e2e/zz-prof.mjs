import { frames, launch, open, serve } from "./kernel-page.mjs";
const mode=process.argv[2]||"half", what=process.argv[3]||"pan";
const site=await serve(); const b=await launch(); const {page}=await open(b,site.url);
await page.evaluate(()=>{const {kernel,large,specs}=window.bench;kernel.load(large(3000),specs)});
if(mode==="all") await page.evaluate(()=>window.bench.kernel.fit()); else await page.evaluate((z)=>window.bench.kernel.setCamera({x:20,y:20,z}), mode==="half"?.5:1);
if(process.argv[4]){await page.evaluate((css)=>{const sh=new CSSStyleSheet();sh.replaceSync(css);document.adoptedStyleSheets=[sh]},process.argv[4])}
await frames(page,10);
const cdp=await page.context().newCDPSession(page); await cdp.send("Profiler.enable"); await cdp.send("Performance.enable");
const met=async()=>Object.fromEntries((await cdp.send("Performance.getMetrics")).metrics.map(m=>[m.name,m.value]));
const bc=await b.newBrowserCDPSession();const cpu=async()=>{let s=0;for(const p of (await bc.send("SystemInfo.getProcessInfo")).processInfo)if(/renderer|GPU|gpu/i.test(p.type))s+=p.cpuTime;return s};const c0=await cpu();const a=await met(); await cdp.send("Profiler.start"); const t0=Date.now();
const n=await page.evaluate(async(what)=>{const k=window.bench.kernel;let n=0;const t=performance.now();const c=k.camera;while(performance.now()-t<2500){n++;if(what==="pan")k.setCamera({x:c.x+Math.sin(n/19)*300,y:c.y+Math.cos(n/19)*200,z:c.z});else window.bench.tick(20);await new Promise(requestAnimationFrame)}return n},what);
const {profile}=await cdp.send("Profiler.stop"); const m=await met();const c1=await cpu();
const self=new Map();const dt=profile.timeDeltas;profile.samples.forEach((s,i)=>self.set(s,(self.get(s)||0)+dt[i]));
const rows=new Map();for(const nd of profile.nodes){const f=nd.callFrame;const k=`${f.functionName}:${f.lineNumber}:${f.columnNumber}`;rows.set(k,(rows.get(k)||0)+(self.get(nd.id)||0)/1000)}
console.log("CPU ms/frame",((c1-c0)*1000/n).toFixed(1),mode,what,process.argv[4]||"","frames",n,"fps",(n/(Date.now()-t0)*1000).toFixed(0),"task ms/frame",((m.TaskDuration-a.TaskDuration)*1000/n).toFixed(1),"script",((m.ScriptDuration-a.ScriptDuration)*1000/n).toFixed(1),"style",((m.RecalcStyleDuration-a.RecalcStyleDuration)*1000/n).toFixed(1),"layout",((m.LayoutDuration-a.LayoutDuration)*1000/n).toFixed(1));
console.log([...rows].sort((x,y)=>y[1]-x[1]).slice(0,14).map(([k,v])=>k+" "+(v/n).toFixed(2)).join("\n"));
await b.close();site.stop();
