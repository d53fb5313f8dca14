(()=>{let last=0;const busy=()=>{last=Date.now()};
for(const name of ["keydown","pointerdown","wheel","touchmove"])addEventListener(name,busy,{passive:true});
setInterval(()=>{if(document.querySelector("[data-busy]"))busy();
if(Date.now()-last>30000&&!document.hidden)location.reload()},RELOAD_SECONDS*1000)})();
