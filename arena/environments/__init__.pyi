from arena.environments.environment import Environment as Environment
from arena.environments.gymnasium import gym as gym
from arena.environments.policies import PolicyBot as PolicyBot
from arena.environments.policies import evaluate as evaluate
from arena.environments.vectorized import vector as vector
