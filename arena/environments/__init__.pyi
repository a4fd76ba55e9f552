from arena.environments.environment import Environment as Environment
from arena.environments.policies import PolicyBot as PolicyBot
